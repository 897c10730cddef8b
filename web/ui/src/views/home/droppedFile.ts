// A file that was dropped on a view, on its way to the list of traces, which imports it.

let dropped: File | undefined;

export function leaveDropped(file: File): void {
  dropped = file;
}

/** The file, once. */
export function takeDropped(): File | undefined {
  const file = dropped;
  dropped = undefined;
  return file;
}
