/** What an error of the operating system means, in words. Pure. */

/** The words for `error`, to stand behind a colon; an error without a code gives no reason. */
export function systemWords(error: unknown): string {
  const code = codeOf(error);
  switch (code) {
    case "ENOENT":
      return "there is no such file";
    case "EISDIR":
      return "it is a folder";
    case "ENOTDIR":
      return "a part of its path is no folder";
    case "ENAMETOOLONG":
      return "its name is too long";
    case "EACCES":
    case "EPERM":
      return "it may not be read by this account";
    case "ENOSPC":
    case "EDQUOT":
      return "there is no room left where it goes";
    default:
      return code === undefined ? "the system gives no reason" : `the system says ${code}`;
  }
}

/** The system's code for `error`, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
