// In a report of a trace with deadline tasks: how many deadlines were missed, whose fault that is, the worst misses, the tasks.

import { ofTrace } from '../api/client';
import { useJson } from '../api/hooks';
import type { Deadlines, TraceSummary } from '../api/types';
import { Ready } from '../components/States';
import deadlineStyles from '../views/deadlines/Deadlines.module.css';
import { Misses } from '../views/deadlines/Misses';
import { RootDomains } from '../views/deadlines/RootDomains';
import { Summary } from '../views/deadlines/Summary';
import { Tasks } from '../views/deadlines/Tasks';
import type { Archive } from './archive';
import styles from './Report.module.css';

const addressOf = (trace: TraceSummary): string => ofTrace(trace.id, 'deadlines');

/** It is carried where a thread has a deadline. */
export const hasDeadlines = ({ json, trace }: Archive): boolean => addressOf(trace) in json;

export function ReportDeadlines({ trace }: { trace: TraceSummary }) {
  const answer = useJson<Deadlines>(addressOf(trace));
  return (
    <section className={styles.deadlines} aria-labelledby="deadlines-title">
      <h2 id="deadlines-title">Deadlines</h2>
      <Ready of={answer} what="Deadlines" height={300}>
        {(data) => (
          <div className={deadlineStyles.body}>
            <Summary data={data} />
            {data.tasks.length > 0 && <Tasks trace={trace} data={data} linked={false} />}
            {data.misses.length > 0 && <Misses trace={trace} data={data} linked={false} />}
            {data.root_domains.length > 0 && <RootDomains data={data} />}
          </div>
        )}
      </Ready>
    </section>
  );
}
