// Something is done when a movement has come to rest.

export interface Rest {
  /** It moves: what is done at rest is put off. */
  moved(): void;
  cancel(): void;
}

/** `done` runs when nothing has moved for `ms`. One timer at a time: setting one per event costs more than drawing a frame. */
export function atRest(ms: number, done: () => void): Rest {
  let timer: ReturnType<typeof setTimeout> | null = null;
  let last = 0;
  const look = () => {
    const left = last + ms - performance.now();
    timer = left > 1 ? setTimeout(look, left) : null;
    if (timer === null) done();
  };
  return {
    moved: () => {
      last = performance.now();
      timer ??= setTimeout(look, ms);
    },
    cancel: () => {
      if (timer !== null) clearTimeout(timer);
      timer = null;
    },
  };
}
