// The keyboard map, as data: the help overlay shows it, and every view binds by it.

import type { View } from './place';

/** The key of each view. Digits, but `0`, which shows a whole trace. */
export const VIEW_KEYS: Record<View, string> = {
  verdict: '1',
  timeline: '2',
  replay: '3',
  episodes: '4',
  threads: '5',
  latency: '6',
  sql: '7',
  compare: '8',
  balance: '9',
  deadlines: 'l',
};

export interface KeyHelp {
  keys: readonly string[];
  does: string;
}

export interface KeyGroup {
  title: string;
  rows: readonly KeyHelp[];
}

export const KEY_GROUPS: readonly KeyGroup[] = [
  {
    title: 'Everywhere',
    rows: [
      { keys: ['1', '…', '9'], does: 'Verdict, Timeline, Replay, Episodes, Threads, Latency, SQL, Compare, Balance' },
      { keys: ['l'], does: 'Deadlines' },
      {
        keys: ['/'],
        does: 'Search threads, processes, cgroups, episodes (Shift Enter: pin the lane of what was found)',
      },
      { keys: ['n', 'p'], does: 'Next, previous episode' },
      { keys: ['i'], does: 'About this recording: when, where, of what, and what it holds' },
      { keys: ['y'], does: 'Copy the link to what you see' },
      { keys: ['?'], does: 'This help' },
      { keys: ['Esc'], does: 'Close, or clear the selection' },
    ],
  },
  {
    title: 'Timeline',
    rows: [
      { keys: ['w', 's'], does: 'Zoom in, out (or wheel)' },
      { keys: ['a', 'd'], does: 'Pan left, right (or drag)' },
      { keys: ['←', '→'], does: 'Previous, next slice on the lane' },
      { keys: ['↑', '↓'], does: 'Lane above, below' },
      { keys: ['Enter'], does: 'Follow the thread of the slice over the CPUs' },
      {
        keys: ['t'],
        does: 'Pin the lane, or the thread of the slice, above the CPUs; again: unpin (Shift: its process)',
      },
      { keys: ['g'], does: 'Lanes of all threads: by process, cgroup or bubble, pinned ones only' },
      {
        keys: ['o'],
        does: 'Sort them by time running, time waiting, name, id; without them the CPUs: by topology, waste',
      },
      { keys: ['x'], does: 'Lanes of the CPUs of the selection, or of the slice, alone; again: of all' },
      { keys: ['f'], does: 'Fold or unfold the process, cgroup or part of the machine' },
      { keys: ['h'], does: 'All CPUs in the window, however low their lanes; again: lanes with names, which scroll' },
      { keys: ['PageUp', 'PageDown'], does: 'Scroll the lanes up, down' },
      { keys: ['c'], does: 'Fold all CPUs into one lane, or unfold them' },
      {
        keys: ['v'],
        does: 'Next arrow of a wakeup, CPUs scanned or interrupt in sight, as the overlays show them (Shift: previous)',
      },
      { keys: ['z'], does: 'Zoom to the selection, slice or episode' },
      { keys: ['0'], does: 'The whole trace' },
      { keys: ['Shift', 'drag'], does: 'Select a range, with its statistics: of all, of CPUs, of lanes of threads' },
      { keys: ['r'], does: 'Select the slice or state as a range (Shift: all that is in sight)' },
      { keys: ['[', ']'], does: 'Start, end of the range: at the pointer, or at the slice' },
      { keys: ['e'], does: 'Save the range as CSV, a thread per row' },
      { keys: ['k'], does: 'Kernel stacks of the range, as a flame graph' },
      {
        keys: ['m'],
        does: 'Measure from the pointer (a start or end of a slice near it counts) or from the slice; again: to there',
      },
      { keys: ['b'], does: 'Bookmark there; again: delete it' },
      { keys: [',', '.'], does: 'Previous, next bookmark' },
    ],
  },
  {
    title: 'Replay',
    rows: [
      { keys: ['Space'], does: 'Play, pause' },
      { keys: ['r'], does: 'Play backwards' },
      { keys: [',', '.'], does: 'One event back, on (of the followed thread, if any)' },
      { keys: ['m', 'b'], does: 'Next migration, next burst of a bubble (Shift: previous)' },
      { keys: ['Shift', '←', '→'], does: 'Previous, next episode' },
      { keys: ['←', '→'], does: 'A second of watching back, on' },
      { keys: ['[', ']'], does: 'Slower, faster' },
      { keys: ['f'], does: 'Follow the chosen thread with the camera' },
      { keys: ['w', 's'], does: 'Zoom in, out (or wheel)' },
      { keys: ['a', 'd', '↑', '↓'], does: 'Look left, right, up, down (or drag)' },
      { keys: ['0'], does: 'The whole picture' },
    ],
  },
  {
    title: 'Latency, on the curve',
    rows: [
      { keys: ['←', '→'], does: 'Move the window (PageUp, PageDown: by its length; Home, End: to the ends)' },
      { keys: ['Shift', '←', '→'], does: 'A shorter, longer window' },
      { keys: ['Enter'], does: 'The waits of the window' },
      { keys: ['Esc'], does: 'Those of the whole trace' },
    ],
  },
  {
    title: 'Balance',
    rows: [
      { keys: ['←', '→'], does: 'Previous, next iteration (PageUp, PageDown: ten; Home, End: the first, the last)' },
      { keys: ['↑', '↓'], does: 'Rank above, below' },
      { keys: ['Enter'], does: 'The iteration on the timeline, with the lane of the rank' },
    ],
  },
];

export interface KeyPress {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

/** The binding's name of a key press, in lower case: `w`, `escape`, `arrowleft`, `mod+k`; null when a modifier makes it the browser's own. */
export function keyName(press: KeyPress): string | null {
  if (press.altKey) return null;
  const key = press.key.toLowerCase();
  return press.ctrlKey || press.metaKey ? (key === 'k' ? 'mod+k' : null) : key;
}
