// Where the waste went: from what is idle beside a waiting thread, excuse by excuse, to what is left; and its grades.

import { EVIDENCE_KIND_OF_EXCUSE, GRADE_WORST_FIRST } from '../../../../../schemas/ts/schema';
import type { Verdict } from '../../api/types';
import { QueryLink } from '../../components/Links';
import { meaningOf } from '../../logic/glossary';
import { coreSeconds, count, percent } from '../../logic/units';
import { excuseWords, gradeWords } from '../../logic/words';
import styles from './Verdict.module.css';

/** What an excuse rests on. */
const EVIDENCE_OF: Readonly<Record<string, string>> = EVIDENCE_KIND_OF_EXCUSE;

export function Ledger({ verdict }: { verdict: Verdict }) {
  const { idle_while_waiting_core_s: idle_while_waiting, core_s: left, excused_core_s: excused } = verdict.wasted;
  const lacking = verdict.trace.evidence.filter((evidence) => evidence.state !== 'recorded');
  const missing = new Set<string>(lacking.map((evidence) => evidence.kind));
  const share = (value: number) => (idle_while_waiting > 0 ? value / idle_while_waiting : 0);
  const noted = (excuse: string) => (missing.has(EVIDENCE_OF[excuse] ?? excuse) ? 'not recorded' : undefined);
  const rows = Object.entries(excused);
  // What was recorded and took nothing off needs no row of its own.
  const nothing = rows.filter(([excuse, value]) => value === 0 && !noted(excuse));
  const sql =
    'SELECT excuse_name(excuse) AS excuse, core_ns / 1e9 AS core_s, recorded FROM excuse_ledger ORDER BY position';
  return (
    <>
      <h2 id="excuse-ledger">
        <QueryLink sql={sql}>Excuse ledger</QueryLink>
      </h2>
      <table className={styles.ledger} aria-labelledby="excuse-ledger">
        <tbody>
          <LedgerRow name="Idle while waiting" value={idle_while_waiting} share={1} kind="idle_while_waiting" />
          {rows
            .filter(([excuse, value]) => value > 0 || noted(excuse))
            .map(([excuse, value]) => (
              <LedgerRow
                key={excuse}
                name={`− ${excuseWords(excuse)}`}
                value={value}
                share={share(value)}
                kind="excused"
                note={noted(excuse)}
              />
            ))}
          {nothing.length > 0 && (
            <tr className={styles.none}>
              <td colSpan={3}>nothing by: {nothing.map(([excuse]) => excuseWords(excuse)).join(', ')}</td>
            </tr>
          )}
          <LedgerRow name="Wasted" value={left} share={share(left)} kind="left" />
        </tbody>
      </table>
    </>
  );
}

interface LedgerRowProps {
  name: string;
  value: number;
  share: number;
  kind: 'idle_while_waiting' | 'excused' | 'left';
  note?: string | undefined;
}

function LedgerRow({ name, value, share, kind, note }: LedgerRowProps) {
  return (
    <tr className={styles[kind]}>
      <th scope="row">{name}</th>
      <td className={styles.barCell} aria-hidden="true">
        <span style={{ width: `${share * 100}%` }} />
      </td>
      <td className={styles.number}>{note && value === 0 ? <i>{note}</i> : value === 0 ? '0' : coreSeconds(value)}</td>
    </tr>
  );
}

export function Grades({ verdict }: { verdict: Verdict }) {
  const all = verdict.wasted.core_s;
  const bounds = verdict.text.grade_bounds;
  return (
    <>
      <h2 id="grades">How long it lasted</h2>
      <table className={styles.ledger} aria-labelledby="grades">
        <tbody>
          {GRADE_WORST_FIRST.filter((grade) => verdict.episodes[grade]?.count).map((grade) => {
            const { count: n, core_s } = verdict.episodes[grade] as { count: number; core_s: number };
            const recurrent = grade === 'recurrent';
            const sql = `SELECT * FROM episode WHERE grade_name(grade) = '${grade}' ORDER BY core_ns DESC`;
            return (
              <tr key={grade} className={styles.grade}>
                <th scope="row" title={meaningOf(grade)}>
                  <QueryLink sql={sql}>{gradeWords(grade)}</QueryLink>{' '}
                  <span className="muted">
                    ({bounds[grade]}) ×&nbsp;{count(n)}
                  </span>
                </th>
                <td className={styles.barCell} aria-hidden="true">
                  <span
                    data-twice={recurrent}
                    style={{ width: `${all === 0 ? 0 : Math.min(core_s / all, 1) * 100}%` }}
                  />
                </td>
                <td
                  className={styles.number}
                  title={recurrent ? 'Intervals counted in their own grades as well' : percent(core_s / all)}
                >
                  {coreSeconds(core_s)}
                  {recurrent && '*'}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {verdict.episodes.recurrent?.count ? (
        <p className={styles.footnote}>* short intervals between the same CPUs, in their own grades as well</p>
      ) : null}
    </>
  );
}
