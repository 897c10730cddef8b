// The list of traces, and the way to add one.

import { useTraces } from '../../api/hooks';
import { readable, type TraceRow, type TraceSummary } from '../../api/types';
import { Empty, Ready } from '../../components/States';
import { bytes, count, duration, percent } from '../../logic/units';
import { hrefTo } from '../../navigation';
import styles from './Home.module.css';
import { Import } from './Import';

export function Home() {
  const traces = useTraces();
  return (
    <div className={styles.home}>
      <h1>Traces</h1>
      <Ready of={traces} what="Reading the list of traces" height={240}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="No trace yet">
              Record one with <code>wastenot record -o T.duckdb --for 10s</code>, or drop one below.
            </Empty>
          ) : (
            <ul className={styles.list}>
              {list.map((trace) => (
                <li key={trace.id}>{readable(trace) ? <Row trace={trace} /> : <Unreadable trace={trace} />}</li>
              ))}
            </ul>
          )
        }
      </Ready>
      <Import onDone={() => void traces.refetch()} />
    </div>
  );
}

function Row({ trace }: { trace: TraceSummary }) {
  const span = trace.end_ns - trace.start_ns;
  return (
    <a className={`card ${styles.row}`} href={hrefTo({ trace: trace.id })}>
      <span className={styles.name}>{trace.name}</span>
      <span className={styles.facts}>
        {trace.cpus} CPUs · {duration(span)} · {count(trace.events)} events · {bytes(trace.size_bytes)}
        {trace.kernel && ` · Linux ${trace.kernel}`}
      </span>
      <span className={styles.wasted}>
        <b>{percent(trace.wasted_share)}</b> wasted
      </span>
    </a>
  );
}

function Unreadable({ trace }: { trace: TraceRow }) {
  return (
    <div className={`card ${styles.row}`}>
      <span className={styles.name}>{trace.name}</span>
      <span className={styles.error}>{trace.error ?? 'not checked yet; run `wastenot check` on it'}</span>
    </div>
  );
}
