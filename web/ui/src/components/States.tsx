// What a view shows when it has nothing to show yet, nothing at all, or was refused.

import { type ReactNode, useEffect, useState } from 'react';
import { ApiError, GONE } from '../api/client';
import { type TableMaking, useMaking } from '../api/making';
import { plural } from '../logic/units';
import styles from './States.module.css';

/** A quiet place holder of the height that the content will have; it says so only when it takes over half a second. */
export function Loading({ what, height }: { what: string; height?: number | string }) {
  const [slow, setSlow] = useState(false);
  const making = useMaking();
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), 500);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className={styles.state} style={{ minHeight: height ?? 160 }} aria-busy="true">
      {slow && (
        <output className={styles.loading}>
          <span className={styles.pulse} aria-hidden="true" /> {what}
        </output>
      )}
      {slow && making && <Making {...making} />}
    </div>
  );
}

/** The first view that needs a trace's larger tables has them made; the other views are there meanwhile. */
function Making(making: TableMaking) {
  return (
    <div className={styles.making}>
      <p>
        The tables of this view are being made, once per trace: {howFar(making)}. Verdict and episodes can be read
        meanwhile.
      </p>
      <progress value={making.share} max={1} aria-label="Events" />
    </div>
  );
}

function howFar({ events, left_s }: TableMaking): string {
  const left =
    left_s === null ? '' : `, ${left_s < 90 ? `${Math.ceil(left_s)} s` : `${Math.round(left_s / 60)} min`} left`;
  return `${plural(events, 'event')} read${left}`;
}

/** A line over a view that shows the trace as a whole while the tables of its details are being made. */
export function DetailsBeingMade() {
  const making = useMaking();
  if (!making) return null;
  return (
    <output className={styles.details}>
      Slices and waits are being made, once per trace: {howFar(making)}.
      <progress value={making.share} max={1} aria-label="Events" />
    </output>
  );
}

/** The answer is empty; `children` say what to do about it. `whole`: the view has nothing else, so that this is its heading. */
export function Empty({ title, whole = false, children }: { title: string; whole?: boolean; children?: ReactNode }) {
  const Title = whole ? 'h1' : 'p';
  return (
    <div className={styles.state}>
      <Title className={styles.title}>{title}</Title>
      {children && <div className={styles.text}>{children}</div>}
    </div>
  );
}

/** The server refused the request or does not answer; `retry` sends it again. */
export function Failed({ error, retry, title }: { error: unknown; retry?: () => void; title?: string }) {
  const message = error instanceof Error ? error.message : String(error);
  const gone = error instanceof ApiError && error.status === 0;
  const drawing = error instanceof ApiError ? error.drawing : undefined;
  return (
    <div className={styles.state} role="alert">
      <p className={styles.title}>{gone ? 'Not connected' : (title ?? 'This could not be read')}</p>
      <p className={styles.text}>{message}</p>
      {drawing && <pre className={styles.drawing}>{drawing}</pre>}
      {retry && (
        <button type="button" className="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** A line over a view that is shown in part: the rest could not be loaded. */
export function PartlyLoaded({ error, retry }: { error: unknown; retry: () => void }) {
  const message = error instanceof Error ? error.message : String(error);
  const gone = message === GONE;
  return (
    <div className={styles.missed} role="alert">
      <p>
        {gone ? 'Not connected: ' : 'Not everything could be read: '}
        {message}
      </p>
      <button type="button" className="button" onClick={retry}>
        Try again
      </button>
    </div>
  );
}

interface QueryState<T> {
  data: T | undefined;
  error: unknown;
  refetch: () => unknown;
}

/** `children` of the data once they are there; Loading or Failed before. */
export function Ready<T>(props: {
  of: QueryState<T>;
  what: string;
  height?: number | string;
  children: (data: T) => ReactNode;
}) {
  const { of, what, height, children } = props;
  if (of.data !== undefined) return children(of.data);
  if (of.error) return <Failed error={of.error} retry={() => void of.refetch()} />;
  return <Loading what={what} {...(height === undefined ? {} : { height })} />;
}
