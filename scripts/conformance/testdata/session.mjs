/** What a program does with Connect: says hello, lists, reads, pages through what is long. Prints what it saw as JSON. */

/** `connected` is a client of either line of the official SDK, connected. */
export async function useConnect(connected) {
  const call = async (name, args) => (await connected.callTool({ name, arguments: args })).structuredContent;
  const { tools } = await connected.listTools();
  const found = await call("framed_list", { of: "tools", query: "ledger" });
  const read = await call("framed_read", { tool: "ledger_open_invoices", args: { supplier: "Acme" } });
  let items = 0;
  for (let offset = 0; offset !== null;) {
    const page = await call("framed_result", {
      result_handle: read.result_handle,
      path: "rows",
      offset,
      limit: 100,
    });
    items += page.items.length;
    offset = page.next_offset;
  }
  const proposed = await call("framed_tool", { tool: "ledger_book_invoice", args: { number: "7" } });
  const asked = await call("framed_approval", { approval_id: proposed.approval_id });
  console.log(JSON.stringify({
    server: connected.getServerVersion().name,
    tools: tools.map(({ name }) => name),
    found: found.tools.map(({ tool }) => tool),
    items,
    status: asked.status,
  }));
  await connected.close();
}
