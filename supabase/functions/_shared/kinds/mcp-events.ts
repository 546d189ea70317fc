/** The events of a stream that another system sends, piece by piece as it comes. Pure. */

/** Reads a stream of events (WHATWG HTML §9.2.6) in any pieces, in time linear in what comes. */
export interface EventReader {
  /** What the messages hold that are complete with this piece, in order. */
  push(piece: string): string[];
  /** The same of what the stream broke off with: an event that lacks only its last blank line counts. */
  end(): string[];
}

/** A reader of a stream of which nothing has come yet. Events of another type than `message` are left out. */
export function createEventReader(): EventReader {
  let line = "";
  let endedByReturn = false;
  let type = "";
  let data: string[] = [];

  function endEvent(): string[] {
    const isMessage = data.length > 0 && (type === "" || type === "message");
    const found = isMessage ? [data.join("\n")] : [];
    type = "";
    data = [];
    return found;
  }

  function endLine(): string[] {
    const read = line;
    line = "";
    if (read === "") return endEvent();
    const colon = read.indexOf(":");
    const [field, rest] = colon < 0 ? [read, ""] : [read.slice(0, colon), read.slice(colon + 1)];
    const value = rest.startsWith(" ") ? rest.slice(1) : rest;
    if (field === "data") data.push(value);
    if (field === "event") type = value;
    return [];
  }

  return {
    push(piece) {
      const found: string[] = [];
      let from = 0;
      // A line may end with two characters of which each comes in a piece of its own.
      if (endedByReturn && piece.startsWith("\n")) from = 1;
      if (piece !== "") endedByReturn = piece.endsWith("\r");
      const ends = /\r\n|\n|\r/g;
      ends.lastIndex = from;
      for (let end = ends.exec(piece); end !== null; end = ends.exec(piece)) {
        line += piece.slice(from, end.index);
        from = end.index + end[0].length;
        found.push(...endLine());
      }
      line += piece.slice(from);
      return found;
    },
    end() {
      return [...endLine(), ...endEvent()];
    },
  };
}
