// Line icons on a 16-unit grid, drawn with the text's colour.

const PATHS = {
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10Zm3.6-1.4L14 14',
  link: 'M6.5 9.5l3-3M7 4.5l1.2-1.2a3.2 3.2 0 0 1 4.5 4.5L11.5 9M9 11.5l-1.2 1.2a3.2 3.2 0 0 1-4.5-4.5L4.5 7',
  sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1.1 1.1M11.9 11.9 13 13M13 3l-1.1 1.1M4.1 11.9 3 13',
  moon: 'M13.5 9.6A5.8 5.8 0 0 1 6.4 2.5a5.8 5.8 0 1 0 7.1 7.1Z',
  help: 'M8 14.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM6.2 6.2a1.9 1.9 0 1 1 2.6 1.9c-.6.3-.8.6-.8 1.2M8 11.4v.2',
  upload: 'M8 11V2.5M4.5 5.5 8 2l3.5 3.5M2.5 10.5v2a1 1 0 0 0 1 1h9a1 1 0 0 0 1-1v-2',
  download: 'M8 2v8.5M4.5 7.5 8 11l3.5-3.5M2.5 11.5v1a1 1 0 0 0 1 1h9a1 1 0 0 0 1-1v-1',
  flag: 'M4 14.5V2M4 2.5h8l-2 3 2 3H4',
  fit: 'M3 1.5h10M3 14.5h10M8 4v8M5.5 6.5 8 4l2.5 2.5M5.5 9.5 8 12l2.5-2.5',
  measure: 'M2 4v8M14 4v8M2 8h12M4.5 6 2.5 8l2 2M11.5 6l2 2-2 2',
  close: 'M4 4l8 8M12 4l-8 8',
  copy: 'M5.5 5.5h8v8h-8ZM10.5 5.5v-3h-8v8h3',
  check: 'M3 8.5l3.2 3.2L13 5',
  warn: 'M8 2 14.5 13.5h-13ZM8 6.5v3M8 11.5v.2',
  down: 'M4 6l4 4 4-4',
  right: 'M6 4l4 4-4 4',
  follow: 'M8 10.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM8 1v3M8 12v3M1 8h3M12 8h3',
  pin: 'M6 2h4M6.5 2v4.5L4 9.5h8L9.5 6.5V2M8 9.5V14',
  zoom: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10Zm3.6-1.4L14 14M5 7h4M7 5v4',
  stacks: 'M2 3h12M2 6.5h9M2 10h6M2 13.5h3',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg
      width="16"
      height="16"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
