// What is lost to imbalance: the ranks' own computing (intrinsic), what the machine added (extrinsic), and what that was.

import { useState } from 'react';
import type { ParallelApplication, TraceSummary } from '../../api/types';
import { EpisodeLink } from '../../components/Links';
import { meaningOf } from '../../logic/glossary';
import { percent } from '../../logic/units';
import { hrefTo, usePlace } from '../../navigation';
import styles from './Balance.module.css';
import { signedDuration, signedPercent } from './signed';

export function Loss({ trace, app }: { trace: TraceSummary; app: ParallelApplication }) {
  const { lost_ns, intrinsic_ns, extrinsic_ns, length_ns } = app;
  if (lost_ns === null || intrinsic_ns === null || extrinsic_ns === null) return null;
  const rows = [
    ['intrinsic', intrinsic_ns],
    ['extrinsic', extrinsic_ns],
  ] as const;
  return (
    <section className={`card ${styles.panel}`}>
      <h2>Lost to imbalance</h2>
      <p>{app.text.loss}</p>
      <dl className={styles.losses}>
        {rows.map(([name, ns]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <span className={styles.gauge} data-loss={name} aria-hidden="true">
                <i style={{ width: `${Math.min(Math.max(ns / length_ns, 0), 1) * 100}%` }} />
              </span>
              <b>{signedPercent(ns / length_ns)}</b> of the time, {signedDuration(ns)}
              <span className={styles.meaning}>{meaningOf(name)}</span>
            </dd>
          </div>
        ))}
      </dl>
      <Sources trace={trace} app={app} />
      {app.text.episode && (
        <p>
          {app.text.episode}:{' '}
          <EpisodeLink episode={app.episodes[0]?.episode_id ?? 0}>why nothing moved them</EpisodeLink>.
        </p>
      )}
    </section>
  );
}

/** Sources that are listed at first; a machine that runs much else has dozens of small ones. */
const FIRST = 6;

/** What added to the extrinsic loss. Below 0: it made the ranks more even. */
function Sources({ trace, app }: { trace: TraceSummary; app: ParallelApplication }) {
  const { pins } = usePlace();
  const [isWhole, setWhole] = useState(false);
  const all = app.sources.filter(({ is_shown }) => is_shown);
  // One row for several, not for one.
  const shown = isWhole || all.length <= FIRST + 1 ? all : all.slice(0, FIRST);
  const rest = all.slice(shown.length);
  if (shown.length === 0) return null;
  const beside = all.some(({ avoidable_ns }) => avoidable_ns > 0);
  const window = { start: app.start_ns, end: Math.min(app.end_ns, trace.end_ns) };
  return (
    <table className={styles.table} aria-label="Sources of extrinsic imbalance">
      <thead>
        <tr>
          <th scope="col">By</th>
          <th scope="col" className={styles.number}>
            Extrinsic
          </th>
          {beside && (
            <th
              scope="col"
              className={styles.number}
              title="Taken from the rank that ended last while a CPU that it may use was idle: the scheduler’s fault"
            >
              Beside an idle CPU
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {shown.map((source) => (
          <tr key={`${source.kind}/${source.utid}`}>
            <th scope="row">
              {source.utid ? (
                <a
                  href={hrefTo({
                    view: 'timeline',
                    window,
                    utid: source.utid,
                    pins: [...new Set([...pins, `t${source.utid}`])],
                  })}
                  title="Show it on the timeline"
                >
                  {source.words}
                </a>
              ) : (
                source.words
              )}
            </th>
            <td className={styles.number}>{signedPercent(source.extrinsic_ns / app.length_ns)}</td>
            {beside && (
              <td className={styles.number}>
                {source.avoidable_ns > 0 ? percent(source.avoidable_ns / app.length_ns) : ''}
              </td>
            )}
          </tr>
        ))}
        {rest.length > 0 && (
          <tr>
            <th scope="row">
              <button type="button" className="quiet" onClick={() => setWhole(true)}>
                {rest.length} more
              </button>
            </th>
            <td className={styles.number}>
              {signedPercent(rest.reduce((sum, { extrinsic_ns }) => sum + extrinsic_ns, 0) / app.length_ns)}
            </td>
            {beside && <td />}
          </tr>
        )}
      </tbody>
    </table>
  );
}
