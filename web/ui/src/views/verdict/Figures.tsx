// The verdict's figures, each a link to the query that proves it.

import type { Verdict } from '../../api/types';
import { QueryLink } from '../../components/Links';
import { excusesNotRecorded } from '../../logic/gaps';
import { coreSeconds, duration, percent, plural, significant } from '../../logic/units';
import { type Alarm, alarmOf } from '../../logic/words';
import styles from './Verdict.module.css';

interface Figure {
  name: string;
  value: string;
  note: string;
  title: string;
  sql: string;
  alarm?: Alarm;
}

export function Figures({ verdict }: { verdict: Verdict }) {
  return (
    <ul className={styles.figures} aria-label="Figures, each with the query that proves it">
      {list(verdict).map((figure) => (
        <li key={figure.name}>
          <QueryLink sql={figure.sql} title={figure.title} className={`card ${styles.figure}`}>
            <span className={styles.figureName}>{figure.name}</span>
            <b data-alarm={figure.alarm}>{figure.value}</b>
            <span>{figure.note}</span>
          </QueryLink>
        </li>
      ))}
    </ul>
  );
}

/** How loud a verdict's waste is shown. */
export function alarmOfVerdict({ wasted, data_quality }: Verdict): Alarm {
  const certain = wasted.core_s > 0 && data_quality.suspect.length === 0 ? wasted.certain_core_s / wasted.core_s : 0;
  return alarmOf(wasted.share, wasted.share * certain);
}

/** How much of the waste that is, and how many excuses the trace cannot show. */
function certainNote({ wasted, trace }: Verdict): string {
  if (wasted.core_s === 0) return 'nothing wasted';
  const share = wasted.certain_core_s / wasted.core_s;
  const unknown = excusesNotRecorded(trace.evidence);
  if (unknown === 0) return `${percent(share)} of the waste`;
  const butFor = `but for ${plural(unknown, 'excuse')} not recorded`;
  return share < 1 ? `${percent(share)} of the waste, ${butFor}` : butFor;
}

function list(verdict: Verdict): Figure[] {
  const { wasted, trace, figures, data_quality } = verdict;
  const length = (trace.end_ns - trace.start_ns) / 1e9;
  const excused = wasted.idle_while_waiting_core_s - wasted.core_s;
  return [
    {
      name: 'Wasted',
      value: coreSeconds(wasted.core_s),
      note: `${percent(wasted.share)} of the machine`,
      title: 'Integral of the cores that were idle beside a waiting thread that could have used them.',
      sql: 'SELECT wasted_ns / 1e9 AS wasted_core_s, wasted_ns / online_ns AS share FROM verdict',
      alarm: alarmOfVerdict(verdict),
    },
    {
      name: 'Certain',
      ...(data_quality.suspect.length > 0
        ? { value: 'nothing', note: 'see data quality' }
        : {
            value: coreSeconds(wasted.certain_core_s),
            note: certainNote(verdict),
          }),
      title: 'The part that rests on no guess about masks.',
      sql: 'SELECT certain_ns / 1e9 AS certain_core_s FROM verdict',
    },
    {
      name: 'Excused',
      value: coreSeconds(excused),
      note: `of ${coreSeconds(wasted.idle_while_waiting_core_s)}`,
      title: 'What stated reasons took off.',
      sql: 'SELECT excuse_name(excuse) AS excuse, core_ns / 1e9 AS core_s, recorded FROM excuse_ledger ORDER BY position',
    },
    {
      name: 'Peak',
      value: plural(figures.peak_wasted, 'core'),
      note: `wasted at once, of ${trace.cpus}`,
      title: 'Most cores wasted at the same instant.',
      sql: 'SELECT start_ns, dur_ns, wasted, certain, idle_cpus, waiting FROM wasted ORDER BY wasted DESC, dur_ns DESC LIMIT 20',
    },
    {
      name: 'With waste',
      value: duration(figures.wall_wasted_ns),
      note: `of ${duration(length * 1e9)} traced`,
      title: 'Time during which at least one core was wasted.',
      sql: 'SELECT sum(dur_ns) / 1e9 AS seconds_with_waste FROM wasted WHERE wasted > 0',
    },
    {
      name: 'Busy',
      value: significant(figures.busy_ns / (length * 1e9)),
      note: `of ${trace.cpus} CPUs, on average`,
      title: 'CPUs that ran threads, averaged over the trace.',
      sql: 'SELECT busy_ns / (end_ns - start_ns) AS busy_cpus FROM verdict',
    },
  ];
}
