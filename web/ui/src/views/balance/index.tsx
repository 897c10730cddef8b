// The balance of parallel programs: what is lost, iterations by ranks, each rank's time, who is at fault, what to do.

import * as d3 from 'd3';
import { ofTrace, query } from '../../api/client';
import { useJson } from '../../api/hooks';
import type { Balance, ParallelApplication, TraceSummary } from '../../api/types';
import { EvidenceGaps } from '../../components/EvidenceGaps';
import { Empty, Failed, Loading } from '../../components/States';
import { excuseNeeds } from '../../logic/gaps';
import { count } from '../../logic/units';
import { go, hrefTo, usePlace } from '../../navigation';
import type { ViewProps } from '../registry';
import { Advice } from './Advice';
import styles from './Balance.module.css';
import { Iterations } from './Iterations';
import { Loss } from './Loss';
import { Ranks } from './Ranks';
import { Segments } from './Segments';
import { SelectionForm, selectionOf } from './SelectionForm';
import { Summary } from './Summary';

const INTERRUPTS = 'what interrupts take from a rank counts as its computing';

/** What the figures rest on beside wakeups and calls, which the remarks and each application's evidence speak of. */
const NEEDS = {
  ...excuseNeeds('waits beside an idle CPU count where it may have applied'),
  irq_busy: INTERRUPTS,
  throttled: 'a rank without quota counts as waiting for a CPU',
};

export default function BalanceView({ trace }: ViewProps) {
  const { params } = usePlace();
  const selection = selectionOf(params);
  const answer = useJson<Balance>(ofTrace(trace.id, `balance${query({ ...selection })}`));
  return (
    <div className={styles.page}>
      <h1 className="unseen">Balance of parallel programs</h1>
      <SelectionForm key={JSON.stringify(selection)} selection={selection} />
      <div className={styles.scroll}>
        {answer.data ? (
          <BalanceBody trace={trace} data={answer.data} />
        ) : answer.error ? (
          <Failed error={answer.error} retry={() => void answer.refetch()} title="The balance could not be measured" />
        ) : (
          <Loading what="Measuring the balance" height="50vh" />
        )}
      </div>
    </div>
  );
}

function BalanceBody({ trace, data }: { trace: TraceSummary; data: Balance }) {
  const { params } = usePlace();
  const several = data.applications.length > 1;
  const app = data.applications.find(({ application }) => String(application) === params.n) ?? data.applications[0];
  return (
    <div className={styles.body}>
      {(several || !app) && (
        <section className={`card ${styles.panel}`}>
          <h2 className={styles.sentence}>{data.sentence}</h2>
          {several && <ApplicationTabs all={data.applications} chosen={app} />}
          {!app && <Hints />}
        </section>
      )}
      <Remarks data={data} />
      {app && <EvidenceGaps trace={trace} needs={NEEDS} interrupts={INTERRUPTS} />}
      {app && <ApplicationPage key={app.application} trace={trace} app={app} />}
      {data.candidates.length > 0 && <Candidates data={data} />}
    </div>
  );
}

function ApplicationPage({ trace, app }: { trace: TraceSummary; app: ParallelApplication }) {
  return (
    <>
      <Summary app={app} />
      {app.state !== 'not_visible' && <Loss trace={trace} app={app} />}
      <Iterations trace={trace} app={app} />
      <Ranks trace={trace} app={app} />
      {app.segments.filter(({ is_shown }) => is_shown).length > 1 && <Segments trace={trace} app={app} />}
      <Advice advice={app.advice} />
    </>
  );
}

function ApplicationTabs({
  all,
  chosen,
}: {
  all: readonly ParallelApplication[];
  chosen: ParallelApplication | undefined;
}) {
  const { params } = usePlace();
  const { cell: _, ...rest } = params;
  return (
    <div role="tablist" aria-label="Applications" className={styles.tabs}>
      {all.map((app) => (
        <button
          key={app.application}
          type="button"
          role="tab"
          aria-selected={app === chosen}
          className="quiet"
          onClick={() => go({ params: { ...rest, n: String(app.application) } })}
        >
          {app.application}: {app.name}
        </button>
      ))}
    </div>
  );
}

/** What puts the figures in doubt: a suspect trace, no wakeups; and crews that were not looked at. */
function Remarks({ data }: { data: Balance }) {
  const { remarks } = data;
  if (remarks.length === 0) return null;
  return (
    <ul className={styles.remarks}>
      {remarks.map((remark) => (
        <li key={remark}>{remark}</li>
      ))}
    </ul>
  );
}

function Hints() {
  return (
    <Empty title="Is there a parallel program in this trace?">
      <p>
        Name its threads or processes above, as in <code>bt-mz*</code>, or give its cgroup. The view{' '}
        <a href={hrefTo({ view: 'threads' })}>Threads</a> lists names. Ranks are found without a name when a launcher
        (mpirun, srun …) started them, or when they wait for each other in iterations.
      </p>
    </Empty>
  );
}

/** Crews that may be applications, with why they are not called so: once for all of one reason, once for all of one name. */
function Candidates({ data }: { data: Balance }) {
  const reasons = d3.group(data.candidates, ({ reason }) => reason);
  return (
    <section className={`card ${styles.panel}`}>
      <h2>Possible applications, not measured</h2>
      {[...reasons].map(([reason, candidates]) => (
        <div key={reason}>
          <p>
            {reason.charAt(0).toUpperCase()}
            {reason.slice(1)}:
          </p>
          <ul className={styles.plain}>
            {[...d3.group(candidates, ({ name }) => name)].map(([name, crews]) => (
              <li key={name}>
                {crewsOf(name, crews)}. <a href={hrefTo({ params: { app: name } })}>Measure {name} all the same</a>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
}

/** `make, 3 processes`, and of several crews of one name `make: crews of 12, 5 and 2 processes`. */
function crewsOf(name: string, crews: Balance['candidates']): string {
  const [first] = crews;
  if (crews.length === 1 || !first) return first?.crew ?? name;
  const ranks = crews.map((crew) => count(crew.ranks));
  const kinds = new Set(crews.map(({ kind }) => kind));
  const kind = kinds.size === 1 ? first.kind.replaceAll('_', ' ') : 'threads or processes';
  return `${name}: crews of ${ranks.slice(0, -1).join(', ')} and ${ranks.at(-1)} ${kind}`;
}
