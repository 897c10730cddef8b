// One episode: which CPUs were idle, which threads waited, why, and the events that prove it.

import { type ReactNode, useState } from 'react';
import { useMachine, useThreads } from '../../api/hooks';
import type { EpisodePage, TraceSummary } from '../../api/types';
import { EvidenceGaps } from '../../components/EvidenceGaps';
import { EpisodeLink } from '../../components/Links';
import { RangeStacks, type StacksOf } from '../../components/RangeStacks';
import { Severity } from '../../components/Severity';
import { Ready } from '../../components/States';
import { Unbroken } from '../../components/Unbroken';
import { cpusWords } from '../../logic/cpulist';
import { excuseNeeds } from '../../logic/gaps';
import { meaningOf } from '../../logic/glossary';
import { coreSeconds, count, duration, moment, plural, significant } from '../../logic/units';
import { distanceWords, gradeWords, severityWords } from '../../logic/words';
import { hrefTo } from '../../navigation';
import { Dictionary } from '../../replay/dictionary';
import { isReport } from '../replay/stretches';
import { Answers, Evidence, OtherAnswers, Repairs } from './Diagnosis';
import { Domains } from './Domains';
import styles from './Episode.module.css';
import { SimilarEpisodes } from './SimilarEpisodes';
import { WindowLanes } from './WindowLanes';

interface EpisodeDetailProps {
  trace: TraceSummary;
  page: EpisodePage;
}

/** The heading of a part, by its id, as its name; in a report, where all episodes have such parts, they are no landmarks. */
const nameBy = (trace: TraceSummary, id: string) => (isReport(trace.id) ? {} : { 'aria-labelledby': id });

/** What the figures of an episode rest on; what its causes rest on is below them. */
const NEEDS = excuseNeeds('waste counts where it may have applied');

/** Of a long list this many rows are shown at first. */
const PAIRS_SHOWN = 12;

export function EpisodeDetail({ trace, page }: EpisodeDetailProps) {
  const { episode: e, pairs } = page;
  const number = e.episode_id;
  const both = e.idle_cpus.filter((cpu) => e.overloaded_cpus.includes(cpu));
  const machine = useMachine(trace.id);
  const threads = useThreads(trace.id);
  const margin = Math.max(1000, Math.round(e.dur_ns * 0.08));
  const window = {
    start: Math.max(trace.start_ns, e.start_ns - margin),
    end: Math.min(trace.end_ns, e.end_ns + margin),
  };
  return (
    <article className={styles.detail}>
      <header className={styles.title}>
        <p className={styles.kind}>
          Episode {e.episode_id} <Severity level={e.severity}>{severityWords(e)}</Severity>
        </p>
        {e.part_of !== null && (
          <p className="muted">
            A part of <EpisodeLink episode={e.part_of}>episode {e.part_of}</EpisodeLink>, the same waste: what of it{' '}
            {gradeWords(e.grade)} intervals make up.
          </p>
        )}
        {e.part_of === null && e.within !== null && (
          <p className="muted">
            Lies within <EpisodeLink episode={e.within}>episode {e.within}</EpisodeLink>, whose waste holds most of this
            one’s.
          </p>
        )}
        <h1>
          <Unbroken text={e.sentence} />
        </h1>
        <p className={styles.actions}>
          <a className="button primary" href={hrefTo({ view: 'replay', episode: e.episode_id, params: {} })}>
            Replay it
          </a>
          {!isReport(trace.id) && (
            <a className="button" href={hrefTo({ view: 'timeline', episode: e.episode_id, window })}>
              Show on the timeline
            </a>
          )}
        </p>
        <dl className={styles.facts}>
          <EpisodeFact name="began">{moment(e.start_ns - trace.start_ns, 1000)}</EpisodeFact>
          <EpisodeFact name="lasted">{duration(e.dur_ns)}</EpisodeFact>
          <EpisodeFact name="wasted">{coreSeconds(e.total_core_ns / 1e9)}</EpisodeFact>
          {e.total_core_ns > e.core_ns && (
            <EpisodeFact name={`of it in ${gradeWords(e.grade)} intervals`} title={meaningOf(e.grade)}>
              {coreSeconds(e.core_ns / 1e9)}
            </EpisodeFact>
          )}
          <EpisodeFact name={e.grade === 'recurrent' ? 'took part' : 'at most at once'}>
            {plural(e.peak, e.grade === 'recurrent' ? 'idle CPU' : 'core')}
          </EpisodeFact>
          <CpusFact cpus={e.idle_cpus} were="idle" />
          <CpusFact cpus={e.overloaded_cpus} were="overloaded" />
          {both.length > 0 && <CpusFact cpus={both} were="both, at different times" />}
          {e.excused_core_ns > 0 && (
            <EpisodeFact name="excused meanwhile">{coreSeconds(e.excused_core_ns / 1e9)}</EpisodeFact>
          )}
        </dl>
        <EvidenceGaps
          trace={trace}
          {...(isReport(trace.id) && { of: `episode ${number}` })}
          needs={NEEDS}
          wakeups="more threads may have waited"
        />
      </header>

      <section className="card" {...nameBy(trace, `window-${number}`)}>
        <h2 id={`window-${number}`}>What happened</h2>
        <Ready of={threads} what="Reading the threads" height={200}>
          {(table) => <WindowLanes trace={trace} page={page} window={window} dictionary={new Dictionary(table)} />}
        </Ready>
      </section>

      <CauseProof page={page} trace={trace} />

      {!isReport(trace.id) && <EpisodeStacks page={page} trace={trace} />}

      <section className="card" {...nameBy(trace, `domains-${number}`)}>
        <h2 id={`domains-${number}`}>Which scheduling domain could have carried a thread across</h2>
        <Ready of={machine} what="Reading the machine" height={120}>
          {(m) => <Domains machine={m} page={page} />}
        </Ready>
      </section>

      <section className="card" {...nameBy(trace, `pairs-${number}`)}>
        <h2 id={`pairs-${number}`}>Which thread waited for which idle CPU</h2>
        <EpisodePairs page={page} pairs={pairs} />
      </section>

      {page.similar.length > 0 && (
        <section className="card" {...nameBy(trace, `similar-${number}`)}>
          <h2 id={`similar-${number}`}>Like it in cause and distance</h2>
          <Ready of={machine} what="Reading the machine" height={120}>
            {(m) => <SimilarEpisodes machine={m} episodes={page.similar} origin_ns={trace.start_ns} />}
          </Ready>
        </section>
      )}
    </article>
  );
}

function EpisodeFact({ name, title, children }: { name: string; title?: string | undefined; children: ReactNode }) {
  return (
    <div title={title}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** The CPUs that the heading counts. */
function CpusFact({ cpus, were }: { cpus: readonly number[]; were: string }) {
  return <EpisodeFact name={were}>{cpus.length > 0 ? <Unbroken text={cpusWords(cpus)} /> : '–'}</EpisodeFact>;
}

/** Events that are shown at first. */
const EVENTS_SHOWN = 12;

/** Why: the answers, what else fits, which evidence would tell, what to do; and the events that prove it. */
function CauseProof({ page, trace }: { page: EpisodePage; trace: TraceSummary }) {
  const d = page.diagnosis;
  const number = page.episode.episode_id;
  const proving = new Set(d.event_ids);
  const events = page.events.filter((e) => proving.has(e.id));
  const listed = events.length > 0 ? events : page.events;
  const [all, setAll] = useState(false);
  const shown = all ? listed : listed.slice(0, EVENTS_SHOWN);
  return (
    <section className="card" {...nameBy(trace, `why-${number}`)}>
      <h2 id={`why-${number}`}>Why</h2>
      <Answers diagnosis={d} />
      <OtherAnswers diagnosis={d} />
      <Evidence diagnosis={d} />
      <Repairs diagnosis={d} />
      {shown.length > 0 && (
        <details open={events.length > 0}>
          <summary>
            {events.length > 0
              ? `${plural(events.length, 'event')} as evidence`
              : `${plural(listed.length, 'event')} around it`}
            {page.rests_on > page.events.length && ` (the first of ${count(page.rests_on)} in all)`}
          </summary>
          <div className={styles.scroll}>
            <table className={styles.table} aria-label={`Events of episode ${number}`}>
              <thead>
                <tr>
                  <th className={styles.right}>at</th>
                  <th className={styles.right}>CPU</th>
                  <th>event</th>
                  <th>what</th>
                  <th>
                    <span className="unseen">links</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {shown.map((e) => (
                  <tr key={e.id}>
                    <td className={styles.right}>{e.at_ns === null ? '–' : moment(e.at_ns, 1000)}</td>
                    <td className={styles.right}>{e.cpu ?? '–'}</td>
                    <td>{e.event}</td>
                    <td>{e.what}</td>
                    <td className={styles.links}>
                      {e.ts_ns !== null && !isReport(trace.id) && (
                        <a href={hrefTo({ view: 'timeline', window: near(e.ts_ns, trace) })}>
                          timeline<span className="unseen"> at this event</span>
                        </a>
                      )}{' '}
                      {e.ts_ns !== null && (
                        <a href={hrefTo({ view: 'replay', params: { t: String(e.ts_ns) } })}>
                          replay<span className="unseen"> from this event</span>
                        </a>
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {listed.length > EVENTS_SHOWN && (
            <button type="button" className="quiet no-print" onClick={() => setAll(!all)}>
              {all ? 'Fewer' : `All ${count(listed.length)}`}
            </button>
          )}
        </details>
      )}
    </section>
  );
}

/** Kernel stacks of what happened meanwhile on the CPUs of the episode; counted when they are asked for. */
function EpisodeStacks({ page, trace }: { page: EpisodePage; trace: TraceSummary }) {
  const [open, setOpen] = useState(false);
  const [of, setOf] = useState<StacksOf>('moves');
  const { start_ns: start, end_ns: end, episode_id: id, idle_cpus, overloaded_cpus } = page.episode;
  const cpus = [...new Set([...idle_cpus, ...overloaded_cpus])].sort((a, b) => a - b);
  return (
    <section className="card" aria-labelledby={`stacks-${id}`}>
      <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <h2 id={`stacks-${id}`}>Kernel stacks of moves, wakeups and switches meanwhile</h2>
        </summary>
        {open && <RangeStacks trace={trace} range={{ start, end, cpus }} of={of} onOf={setOf} />}
      </details>
    </section>
  );
}

/** A millisecond around an event. */
const near = (ts_ns: number, trace: TraceSummary) => ({
  start: Math.max(trace.start_ns, Math.round(ts_ns) - 500_000),
  end: Math.min(trace.end_ns, Math.round(ts_ns) + 500_000),
});

function EpisodePairs({ page, pairs }: { page: EpisodePage; pairs: EpisodePage['pairs'] }) {
  const most = pairs.reduce((m, p) => Math.max(m, p.core_ns), 1);
  const rows = pairs.slice(0, PAIRS_SHOWN);
  return (
    <>
      <div className={styles.scroll}>
        <table className={styles.table} aria-label="Threads and the idle CPUs that they waited beside">
          <thead>
            <tr>
              <th>thread</th>
              <th className={styles.right}>waited on</th>
              <th className={styles.right}>idle</th>
              <th>across</th>
              <th>for</th>
              <th>
                <span className="unseen">share</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((p) => (
              <tr key={`${p.utid}-${p.waited_on}-${p.idle_cpu}`}>
                <td>
                  <a href={hrefTo({ view: 'replay', episode: page.episode.episode_id, utid: p.utid, params: {} })}>
                    {p.name ?? `tid ${p.tid}`}
                  </a>{' '}
                  <span className="muted">{p.tid}</span>
                  {p.mask_known === false && <span className="muted"> mask not known</span>}
                </td>
                <td className={styles.right}>CPU {p.waited_on}</td>
                <td className={styles.right}>CPU {p.idle_cpu}</td>
                <td>{distanceWords(p.distance)}</td>
                <td className={styles.nowrap}>{duration(p.core_ns)}</td>
                <td className={styles.bar}>
                  <i style={{ width: `${(p.core_ns / most) * 100}%` }} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {pairs.length > rows.length && (
        <p className="muted">
          and {plural(pairs.length - rows.length, 'pair')} more, of {plural(page.threads.length, 'thread')} in all, mean{' '}
          {significant(pairs.reduce((s, p) => s + p.core_ns, 0) / pairs.length / 1e6)} ms each
        </p>
      )}
    </>
  );
}
