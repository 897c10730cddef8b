// Options of the replay: which bubbles, which hues, a legend of the lines; and saving the picture.

import { useState } from 'react';
import { PATH_COLOURS, pathsOfColour } from '../../logic/paths';
import type { ReplayColours } from '../../replay/colours';
import { HUES_BY, type HueBy, type Hues } from '../../replay/dictionary';
import styles from './Replay.module.css';
import { REPLAY_TREES, type ReplayTree } from './useReplayData';

const BUBBLE_NAMES: Record<ReplayTree, string> = {
  natural: 'cgroup ▸ process',
  creation: 'by creation',
  declared: 'as declared',
  none: 'none',
};

interface ReplayOptionsProps {
  bubbles: ReplayTree;
  hues: HueBy;
  onBubbles: (kind: ReplayTree) => void;
  onHues: (by: HueBy) => void;
  onFit: () => void;
  onStill: (kind: 'svg' | 'png') => void;
  onMovie: (() => void) | null;
  filming: boolean;
}

export function Options(p: ReplayOptionsProps) {
  return (
    <div className={styles.options}>
      <label>
        <span>Bubbles</span>
        <select
          className={styles.select}
          aria-label="Bubbles"
          value={p.bubbles}
          onChange={(e) => p.onBubbles(e.target.value as ReplayTree)}
        >
          {REPLAY_TREES.map((kind) => (
            <option key={kind} value={kind}>
              {BUBBLE_NAMES[kind]}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>Colour by</span>
        <select
          className={styles.select}
          aria-label="Colour by"
          value={p.hues}
          onChange={(e) => p.onHues(e.target.value as HueBy)}
        >
          {HUES_BY.map((by) => (
            <option key={by}>{by}</option>
          ))}
        </select>
      </label>
      <button type="button" className="quiet" title="The whole picture (0)" onClick={p.onFit}>
        Fit
      </button>
      <span className={styles.saves}>
        <span className="muted">Save</span>
        <button type="button" className="quiet" onClick={() => p.onStill('png')}>
          PNG
        </button>
        <button type="button" className="quiet" onClick={() => p.onStill('svg')}>
          SVG
        </button>
        {p.onMovie && (
          <button type="button" className="quiet" aria-pressed={p.filming} onClick={p.onMovie}>
            {p.filming ? 'Stop' : 'WebM'}
          </button>
        )}
      </span>
    </div>
  );
}

/** What the colours mean. */
export function ReplayLegend({ hues, colours, by }: { hues: Hues; colours: ReplayColours; by: HueBy }) {
  const [open, setOpen] = useState(false);
  return (
    <div className={styles.legend} data-open={open}>
      <button type="button" className={styles.legendHead} aria-expanded={open} onClick={() => setOpen(!open)}>
        What the colours mean
      </button>
      <div className={styles.legendBody}>
        <ul aria-label={`Threads by ${by}`}>
          {hues.names.map((name, i) => (
            <li key={name}>
              <i style={{ background: colours.hues[i] }} className={styles.dot} />
              {name}
            </li>
          ))}
          <li>
            <i style={{ background: colours.hues[colours.hues.length - 1] }} className={styles.dot} />
            others
          </li>
        </ul>
        <ul aria-label="Moves by path">
          {Object.entries(PATH_COLOURS).map(([colour, words]) => (
            <li key={colour} title={pathsOfColour(colour)}>
              <i style={{ background: `var(--path-${colour})` }} className={styles.lineKey} />
              {words}
            </li>
          ))}
        </ul>
        <ul aria-label="Cores">
          <li>
            <i style={{ borderColor: colours.lineStrong, background: colours.idleFill }} className={styles.cellKey} />
            idle
          </li>
          <li>
            <i style={{ borderColor: colours.wastedFill, background: colours.wastedCell }} className={styles.cellKey} />
            wasted
          </li>
          <li>
            <i style={{ borderColor: colours.unobserved, background: colours.unobserved }} className={styles.cellKey} />
            not observed
          </li>
          <li>
            <i style={{ background: colours.waitingFill }} className={styles.lineKey} />a queue
          </li>
        </ul>
      </div>
    </div>
  );
}
