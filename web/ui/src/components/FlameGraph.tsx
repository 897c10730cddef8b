// A flame graph, of kernel stacks: each function below the one that calls it, as wide as its share.

import { useMemo, useState } from 'react';
import { type FlameBox, type FlameNode, flameBoxes, neighbour, nodeAt } from '../logic/flame';
import { percent } from '../logic/units';
import styles from './FlameGraph.module.css';
import { useSize } from './useSize';

const ROW = 20;
/** Narrower boxes are not drawn: they could be neither read nor clicked. */
const LEAST_PIXELS = 1.5;
/** A letter at the size of the labels. */
const LETTER = 6.6;

interface FlameGraphProps {
  root: FlameNode;
  /** Functions whose name has this are lit. */
  search: string;
  /** A value in words. */
  words: (value: number) => string;
  label: string;
}

export function FlameGraph({ root, search, words, label }: FlameGraphProps) {
  const [zoom, setZoom] = useState('');
  const [focus, setFocus] = useState('');
  const [frame, { width }] = useSize<HTMLDivElement>();
  const top = useMemo(() => nodeAt(root, zoom), [root, zoom]);
  const boxes = useMemo(() => flameBoxes(top, LEAST_PIXELS / Math.max(width, 300)), [top, width]);
  const depth = boxes.reduce((most, box) => Math.max(most, box.depth), 0) + 1;
  const current = boxes.find((box) => box.node.path === focus) ?? boxes[0];
  const onKey = (event: React.KeyboardEvent<HTMLElement>) => {
    const next = event.key.startsWith('Arrow') ? neighbour(boxes, current?.node.path ?? '', event.key) : null;
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    setFocus(next.node.path);
    event.currentTarget.querySelector<HTMLElement>(`[data-at="${boxes.indexOf(next)}"]`)?.focus();
  };
  const needle = search.trim().toLowerCase();
  const describe = ({ node }: FlameBox) => {
    const share = percent(node.value / Math.max(root.value, 1));
    const own = node.self > 0 && node.children.length > 0 ? `, ${words(node.self)} in itself` : '';
    return `${node.name}: ${words(node.value)}, ${share}${own}`;
  };
  return (
    <div className={styles.graph}>
      <p className={styles.line} aria-live="polite">
        {zoom !== '' && (
          <button type="button" className="button" onClick={() => setZoom('')}>
            Show all
          </button>
        )}
        <span>{current && describe(current)}</span>
      </p>
      {/* biome-ignore lint/a11y/useSemanticElements: a tree of buttons that share one line of the keyboard's way */}
      <div
        ref={frame}
        role="group"
        aria-label={label}
        className={styles.boxes}
        style={{ height: depth * ROW }}
        onKeyDown={onKey}
      >
        {boxes.map((box, at) => (
          <button
            type="button"
            key={box.node.path}
            data-at={at}
            tabIndex={box === current ? 0 : -1}
            className={styles.box}
            data-kind={box.depth === 0 && top === root ? 'all' : box.node.isState ? 'state' : hueOf(box.node.name)}
            data-found={needle === '' ? undefined : box.node.name.toLowerCase().includes(needle)}
            style={{ left: `${box.x * 100}%`, width: `${box.width * 100}%`, top: box.depth * ROW }}
            title={describe(box)}
            aria-label={describe(box)}
            onClick={() => setZoom(box.node.path === zoom ? '' : box.node.path)}
            onFocus={() => setFocus(box.node.path)}
            onPointerEnter={() => setFocus(box.node.path)}
          >
            {box.width * width > 3 * LETTER ? box.node.name : ''}
          </button>
        ))}
      </div>
    </div>
  );
}

/** Hues of functions, so that neighbours differ and a function has the same colour everywhere. */
const HUES = 5;

function hueOf(name: string): number {
  let sum = 0;
  for (let at = 0; at < name.length; at++) sum = (sum * 31 + name.charCodeAt(at)) % 9973;
  return sum % HUES;
}
