// The guide of the first visit: an offer in the corner, then four steps, each beside a part of the page.

import { type RefObject, useEffect, useRef, useState } from 'react';
import { beside } from '../logic/beside';
import type { View } from '../logic/place';
import { go, usePlace } from '../navigation';
import styles from './Guide.module.css';

interface GuideStep {
  view: View;
  /** `data-guide` of what it points at. */
  at: string;
  title: string;
  text: string;
}

const STEPS: readonly GuideStep[] = [
  {
    view: 'verdict',
    at: 'sentence',
    title: 'The verdict',
    text: 'One sentence: how many cores were idle beside threads that could have used them, and for how long. Click it to see where.',
  },
  {
    view: 'verdict',
    at: 'curve',
    title: 'When it happened',
    text: 'Orange is wasted, blue is busy; what is left was idle for a good reason. Drag over a span to open it on the timeline.',
  },
  {
    view: 'verdict',
    at: 'worst',
    title: 'Where and why',
    text: 'Episodes, the costliest first, by cause. The row opens the timeline, the arrow at its end the evidence.',
  },
  {
    view: 'timeline',
    at: 'lanes',
    title: 'Watch it',
    text: 'A lane per CPU. The wheel zooms, dragging pans, n goes to the next episode; ? lists all keys. The replay plays the same as a movie.',
  },
];

const STORAGE_KEY = 'wastenot.guide';
const narrow = matchMedia('(max-width: 860px)');

function seen(): boolean {
  try {
    return localStorage.getItem(STORAGE_KEY) !== null;
  } catch {
    return true; // Without storage the guide would be offered at every visit.
  }
}

function remember(): void {
  try {
    localStorage.setItem(STORAGE_KEY, 'seen');
  } catch {
    // As above.
  }
}

export function Guide() {
  const { view } = usePlace();
  const [step, setStep] = useState<number | 'offer' | null>(() => (seen() ? null : 'offer'));
  const current = typeof step === 'number' ? STEPS[step] : undefined;
  const card = useRef<HTMLElement>(null);
  useMark(current, card);
  useEffect(() => {
    const start = () => setStep(0);
    window.addEventListener('wastenot-guide', start);
    return () => window.removeEventListener('wastenot-guide', start);
  }, []);
  const end = () => {
    remember();
    setStep(null);
  };
  const to = (index: number) => {
    const next = STEPS[index];
    if (!next) return end();
    setStep(index);
    if (view !== next.view) go({ view: next.view });
  };
  const hidden = step === null || (step === 'offer' && view !== 'verdict');
  useEffect(() => {
    if (hidden) return;
    const leave = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || document.querySelector('dialog[open]')) return;
      event.stopPropagation(); // the next Escape clears the view's selection
      remember();
      setStep(null);
    };
    addEventListener('keydown', leave, { capture: true });
    return () => removeEventListener('keydown', leave, { capture: true });
  }, [hidden]);
  if (hidden) return null;
  return (
    <aside
      ref={card}
      className={`${styles.card} no-print`}
      data-offer={step === 'offer'}
      aria-label="Guide"
      aria-live="polite"
    >
      {step === 'offer' ? (
        <>
          <p>New here? Four things to look at.</p>
          <div>
            <button type="button" className="button primary" onClick={() => to(0)}>
              Show me
            </button>
            <button type="button" className="quiet" onClick={end}>
              No, thanks
            </button>
          </div>
        </>
      ) : (
        <>
          <h2>{current?.title}</h2>
          <p>{current?.text}</p>
          <div>
            <button type="button" className="button primary" onClick={() => to(step + 1)}>
              {step + 1 < STEPS.length ? 'Next' : 'Done'}
            </button>
            {step > 0 && (
              <button type="button" className="quiet" onClick={() => to(step - 1)}>
                Back
              </button>
            )}
            <span className="muted">
              {step + 1} of {STEPS.length}
            </span>
            <button type="button" className="quiet" onClick={end}>
              Leave
            </button>
          </div>
        </>
      )}
    </aside>
  );
}

/** Starts the guide from its first step, from any view. */
export const startGuide = (): void => {
  go({ view: 'verdict' });
  window.dispatchEvent(new Event('wastenot-guide'));
};

/** Pixels between the card and what it explains. */
const GAP = 16;

/** Outlines what a step points at once it is rendered, scrolls it into view, and puts the card beside it. */
function useMark(step: GuideStep | undefined, card: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    if (!step) return;
    let marked: Element | null = null;
    const put = () => {
      const box = card.current;
      if (!box) return;
      // On a phone it lies along the bottom (`Guide.module.css`).
      if (!marked || narrow.matches) return box.removeAttribute('style');
      const top = document.querySelector('header')?.getBoundingClientRect().bottom ?? 0;
      const view = { left: 0, top, width: innerWidth, height: innerHeight - top };
      const at = beside(marked.getBoundingClientRect(), box.getBoundingClientRect(), view, GAP);
      Object.assign(box.style, { left: `${at.left}px`, top: `${at.top}px`, right: 'auto', bottom: 'auto' });
    };
    const findTarget = () => {
      marked = document.querySelector(`[data-guide="${step.at}"]`);
      if (!marked) return false;
      marked.classList.add(styles.marked as string);
      // On a phone the card covers the lower part of the page.
      const fits = marked.clientHeight + (card.current?.clientHeight ?? 0) + 4 * GAP < innerHeight;
      marked.scrollIntoView({ block: narrow.matches ? 'start' : fits ? 'center' : 'nearest' });
      put();
      return true;
    };
    const timer = findTarget() ? 0 : setInterval(() => findTarget() && clearInterval(timer), 100);
    const resized = new ResizeObserver(put);
    resized.observe(document.body);
    addEventListener('resize', put);
    document.addEventListener('scroll', put, { capture: true, passive: true });
    const box = card.current;
    return () => {
      clearInterval(timer);
      resized.disconnect();
      removeEventListener('resize', put);
      document.removeEventListener('scroll', put, { capture: true });
      box?.removeAttribute('style');
      marked?.classList.remove(styles.marked as string);
    };
  }, [step, card]);
}
