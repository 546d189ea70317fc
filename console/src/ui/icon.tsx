/** The pictures of the console: small strokes, drawn for it, always beside words or named by them. */

const PATHS = {
  tasks: "M4 7l2 2 3-4M4 17l2 2 3-4M12 7h8M12 17h8",
  connections: "M9 7H7a5 5 0 0 0 0 10h2M15 7h2a5 5 0 0 1 0 10h-2M8 12h8",
  log: "M6 4h12v16H6zM9 9h6M9 13h6M9 17h3",
  "catch-up": "M12 4v4M12 16v4M4 12h4M16 12h4M12 12l3-3M12 12m-8 0a8 8 0 1 0 16 0a8 8 0 1 0-16 0",
  people:
    "M9 11a3.5 3.5 0 1 0 0-7a3.5 3.5 0 0 0 0 7zM3 20c0-4 3-6 6-6s6 2 6 6M16 5a3 3 0 0 1 0 6M17 14c2.5.4 4 2.6 4 6",
  person: "M12 11a3.5 3.5 0 1 0 0-7a3.5 3.5 0 0 0 0 7zM5 20c0-4 3.5-6 7-6s7 2 7 6",
  close: "M6 6l12 12M18 6L6 18",
  check: "M5 12.5l4.5 4.5L19 7",
  info: "M12 11v6M12 7.5v.01M12 12m-9 0a9 9 0 1 0 18 0a9 9 0 1 0-18 0",
  warn: "M12 4L2.5 20h19zM12 10v4.5M12 17.2v.01",
  chevron: "M7 10l5 5 5-5",
  back: "M15 6l-6 6 6 6",
  plus: "M12 5v14M5 12h14",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
  copy: "M9 9h11v11H9zM15 9V4H4v11h5",
  clock: "M12 7v5l3.5 2M12 12m-9 0a9 9 0 1 0 18 0a9 9 0 1 0-18 0",
  external: "M14 5h5v5M19 5l-8 8M17 14v5H5V7h5",
  print: "M7 9V4h10v5M7 17H4V9h16v8h-3M7 14h10v6H7z",
  key: "M15 9m-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0M11.5 12.5L4 20v-3M7 17l2 2",
  lock: "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3",
  // A kind of tool each.
  request: "M4 8h13M13 4l4 4-4 4M20 16H7M11 12l-4 4 4 4",
  fixture: "M5 4h10l4 4v12H5zM9 12h6M9 16h6",
  mcp: "M12 3v5M8 8h8v4a4 4 0 0 1-8 0zM12 16v5",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

/** The mark of the product, beside its name. */
export function Mark({ size = 24 }: { size?: number }) {
  return <img src="/icon.svg" width={size} height={size} alt="" />;
}
