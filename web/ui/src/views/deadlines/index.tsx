// Deadlines of real-time tasks: how many were missed and whose fault that is, tasks, the worst misses, root domains, global EDF.

import { ofTrace, query } from '../../api/client';
import { useJson } from '../../api/hooks';
import type { Deadlines, TraceSummary } from '../../api/types';
import { EvidenceGaps } from '../../components/EvidenceGaps';
import { Empty, Failed, Loading } from '../../components/States';
import { go, usePlace } from '../../navigation';
import type { ViewProps } from '../registry';
import styles from './Deadlines.module.css';
import { LockWaitList } from './LockWaitList';
import { Misses } from './Misses';
import { PassedOverList } from './PassedOverList';
import { RootDomains } from './RootDomains';
import { Summary } from './Summary';
import { TaskForm } from './TaskForm';
import { Tasks } from './Tasks';

const NEEDS = { dl_parameters: 'tasks are those that are declared here, budgets and throttling are not known' };

export default function DeadlinesView({ trace }: ViewProps) {
  const { tasks } = usePlace();
  const answer = useJson<Deadlines>(ofTrace(trace.id, `deadlines${query({ task: tasks })}`));
  return (
    <div className={styles.page}>
      <h1 className="unseen">Deadlines</h1>
      <TaskForm key={tasks.join('\n')} tasks={tasks} onDeclare={(declared) => go({ tasks: declared })} />
      <EvidenceGaps
        trace={trace}
        needs={NEEDS}
        wakeups="when jobs are released is not known"
        interrupts="what interrupts take from a job counts as running"
      />
      <div className={styles.scroll}>
        {answer.data ? (
          <DeadlinesBody trace={trace} data={answer.data} />
        ) : answer.error ? (
          <Failed
            error={answer.error}
            retry={() => void answer.refetch()}
            title="The deadlines could not be measured"
          />
        ) : (
          <Loading what="Measuring jobs and deadlines" height="50vh" />
        )}
      </div>
    </div>
  );
}

function DeadlinesBody({ trace, data }: { trace: TraceSummary; data: Deadlines }) {
  return (
    <div className={styles.body}>
      <Summary data={data} />
      {data.tasks.length === 0 && (
        <Empty title="Which threads have deadlines?">
          <p>
            Declare them above: the name of the threads, and what they may run within which time, as in{' '}
            <code>audio*=2ms/5ms/5ms</code>. Those that are SCHED_DEADLINE need none in a recording of wastenot.
          </p>
        </Empty>
      )}
      {data.tasks.length > 0 && <Tasks trace={trace} data={data} linked />}
      {data.misses.length > 0 && <Misses trace={trace} data={data} linked />}
      {data.root_domains.length > 0 && <RootDomains data={data} />}
      {data.edf.checked && <PassedOverList trace={trace} data={data} />}
      {data.locks.waits > 0 && <LockWaitList trace={trace} data={data} />}
    </div>
  );
}
