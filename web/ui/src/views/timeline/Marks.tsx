// In the toolbar: the measure tool with what it found, and the bookmarks.

import { type RefObject, useEffect, useRef, useState } from 'react';
import type { TraceSummary } from '../../api/types';
import { Icon } from '../../components/Icon';
import { MOST_LETTERS } from '../../logic/place';
import { duration, moment, plural } from '../../logic/units';
import { adjust, go, usePlace } from '../../navigation';
import type { LanesHandle } from './Lanes';
import { chosenInstant, goToInstant, renameBookmark, toggleBookmark } from './marking';
import styles from './Timeline.module.css';
import type { Viewport } from './viewport';

interface MarksProps {
  trace: TraceSummary;
  viewport: Viewport;
  lanesRef: RefObject<LanesHandle | null>;
  /** Clicks on the lanes choose the instants to measure between. */
  measuring: boolean;
  onMeasuring: (on: boolean) => void;
}

export function Marks({ trace, viewport, lanesRef, measuring, onMeasuring }: MarksProps) {
  const { measure } = usePlace();
  const words = measureWords(measure, measuring);
  return (
    <span className={styles.marks}>
      <button
        type="button"
        className="quiet"
        aria-pressed={measuring}
        title="Measure: choose two instants on the lanes (m)"
        onClick={() => onMeasuring(!measuring)}
      >
        <Icon name="measure" /> {words || <span className="unseen">Measure</span>}
      </button>
      {measure && measure.to !== null && (
        <button
          type="button"
          className="quiet icon"
          aria-label="Select what was measured"
          title="Select what was measured: its statistics"
          onClick={() =>
            adjust({
              selection: {
                start: Math.min(measure.from, measure.to as number),
                end: Math.max(measure.from, measure.to as number, measure.from + 1),
                cpus: null,
              },
            })
          }
        >
          <Icon name="check" />
        </button>
      )}
      {measure && (
        <button
          type="button"
          className="quiet icon"
          aria-label="End the measure"
          title="Esc"
          onClick={() => {
            onMeasuring(false);
            go({ measure: null });
          }}
        >
          <Icon name="close" />
        </button>
      )}
      <Bookmarks trace={trace} viewport={viewport} lanesRef={lanesRef} />
    </span>
  );
}

function measureWords(measure: ReturnType<typeof usePlace>['measure'], measuring: boolean): string {
  if (measure && measure.to !== null) return duration(Math.abs(measure.to - measure.from));
  if (measure) return 'to …';
  return measuring ? 'from …' : '';
}

function Bookmarks({ trace, viewport, lanesRef }: Pick<MarksProps, 'trace' | 'viewport' | 'lanesRef'>) {
  const { bookmarks } = usePlace();
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (!open) return;
    const leave = (event: Event) => {
      if (!box.current?.contains(event.target as Node)) setOpen(false);
    };
    const onEscape = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.preventDefault(); // it closes the list, and clears nothing
      setOpen(false);
    };
    window.addEventListener('pointerdown', leave);
    window.addEventListener('keydown', onEscape, true);
    return () => {
      window.removeEventListener('pointerdown', leave);
      window.removeEventListener('keydown', onEscape, true);
    };
  }, [open]);
  return (
    <span ref={box} className={styles.bookmarks}>
      <button
        type="button"
        className="quiet"
        aria-expanded={open}
        aria-label={`Bookmarks: ${bookmarks.length}`}
        title="Bookmarks: add (b), previous (,), next (.)"
        onClick={() => setOpen(!open)}
      >
        <Icon name="flag" /> {bookmarks.length > 0 && bookmarks.length}
      </button>
      {open && (
        <div className={styles.bookmarkList} role="dialog" aria-label="Bookmarks">
          <p>{bookmarks.length === 0 ? 'None yet. The address keeps them.' : plural(bookmarks.length, 'bookmark')}</p>
          <ul>
            {bookmarks.map(({ t, text }) => (
              <li key={t}>
                <button type="button" className={styles.link} title="Go there" onClick={() => goToInstant(viewport, t)}>
                  {moment(t - trace.start_ns, 1000)}
                </button>
                <input
                  className="input"
                  value={text}
                  maxLength={MOST_LETTERS}
                  placeholder="Name"
                  aria-label={`Name of the bookmark at ${moment(t - trace.start_ns, 1000)}`}
                  onChange={(event) => renameBookmark(t, event.target.value)}
                />
                <button
                  type="button"
                  className="quiet icon"
                  aria-label={`Delete the bookmark at ${moment(t - trace.start_ns, 1000)}`}
                  onClick={() => toggleBookmark(t, '')}
                >
                  <Icon name="close" />
                </button>
              </li>
            ))}
          </ul>
          <button
            type="button"
            className="button"
            onClick={() => toggleBookmark(chosenInstant(lanesRef, viewport, null), '')}
          >
            Add one in the middle
          </button>
        </div>
      )}
    </span>
  );
}
