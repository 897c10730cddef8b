// Two traces on the same measures (before and after, kernel A and B), or repeated runs of two sides.

import { type ReactNode, useEffect } from 'react';
import { ofTrace, query } from '../../api/client';
import { useJson, useTable, useTraces, useVerdict } from '../../api/hooks';
import { numbers, type Table } from '../../api/table';
import { type Comparison, readable, type TraceSummary } from '../../api/types';
import { VerdictGaps } from '../../components/EvidenceGaps';
import { Empty, Ready } from '../../components/States';
import { useSize } from '../../components/useSize';
import { coreSeconds, count, duration, percent, significant } from '../../logic/units';
import { causesByWords, gradeWords } from '../../logic/words';
import { adjust, go, hrefTo, usePlace } from '../../navigation';
import type { ViewProps } from '../registry';
import styles from './Compare.module.css';
import { likest } from './likest';
import { RepeatedRuns } from './RepeatedRuns';

export default function CompareView({ trace }: ViewProps) {
  return (
    <Ready of={useTraces()} what="Reading the list of traces" height="60vh">
      {(traces) => <ComparePage trace={trace} traces={traces.filter(readable)} />}
    </Ready>
  );
}

/** Two traces, or with the parameter `runs` repeated ones. */
function ComparePage({ trace, traces }: ViewProps & { traces: readonly TraceSummary[] }) {
  const { params } = usePlace();
  const repeated = params.runs === '1';
  const tabs = [
    ['Two traces', {}],
    ['Repeated runs', { runs: '1' }],
  ] as const;
  return (
    <div className={styles.page}>
      {traces.length > 1 && (
        <div role="tablist" aria-label="What to compare" className={styles.tabs}>
          {tabs.map(([title, change], index) => (
            <button
              key={title}
              type="button"
              role="tab"
              aria-selected={repeated === (index === 1)}
              className="quiet"
              onClick={() => go({ params: change })}
            >
              {title}
            </button>
          ))}
        </div>
      )}
      {repeated ? <RepeatedRuns traces={traces} /> : <CompareWith trace={trace} traces={traces} />}
    </div>
  );
}

function CompareWith({ trace, traces }: ViewProps & { traces: readonly TraceSummary[] }) {
  const { params } = usePlace();
  const others = traces.filter((item) => item.id !== trace.id);
  const other = others.find((item) => item.id === params.b) ?? likest(trace, others);
  // The address names both: it shows a colleague the same, whatever else comes to the folder.
  const chosen = other?.id;
  useEffect(() => {
    if (chosen !== undefined && params.b !== chosen) adjust({ params: { ...params, b: chosen } });
  }, [params, chosen]);
  const answer = useJson<Comparison>(other ? `compare${query({ a: trace.id, b: other.id })}` : null);
  if (!other)
    return (
      <Empty whole title="There is no second trace to compare with">
        Open or drop another one on the <a href="#/">list of traces</a>.
      </Empty>
    );
  return (
    <>
      <header className={styles.head}>
        <h1>{trace.name}</h1>
        <span className="muted">against</span>
        <select
          className="input"
          aria-label="Compare with"
          value={other.id}
          onChange={(event) => adjust({ params: { b: event.target.value } })}
        >
          {others.map((item) => (
            <option key={item.id} value={item.id}>
              {item.name}
            </option>
          ))}
        </select>
        <a className="quiet" href={hrefTo({ trace: other.id, view: 'compare', params: { b: trace.id } })}>
          Swap
        </a>
      </header>
      <Ready of={answer} what="Comparing" height="60vh">
        {(data) => <ComparisonBody data={data} a={trace} b={other} />}
      </Ready>
    </>
  );
}

function ComparisonBody({ data, a, b }: { data: Comparison; a: TraceSummary; b: TraceSummary }) {
  const longest = Math.max(a.end_ns - a.start_ns, b.end_ns - b.start_ns);
  const peak = data.measures.find(({ name }) => name === 'peak wasted');
  const top = Math.max(peak?.a ?? 0, peak?.b ?? 0, 1);
  const most = Math.max(...data.grades.flatMap((grade) => [grade.a_core_s, grade.b_core_s]), 1e-9);
  const causes = causesByWords(data.causes);
  const mostCause = Math.max(...causes.flatMap((cause) => [cause.a, cause.b]), 1e-9);
  return (
    <>
      <Headline data={data} a={a} b={b} />
      {data.remarks.length > 0 && (
        <section className={`card ${styles.panel}`}>
          <h2>Other differences</h2>
          <ul className={styles.remarks}>
            {data.remarks.map((remark) => (
              <li key={remark}>{remark}</li>
            ))}
          </ul>
        </section>
      )}
      <div className={styles.pair}>
        {(
          [
            [a, data.sentence_a],
            [b, data.sentence_b],
          ] as const
        ).map(([trace, sentence], index) => (
          <section key={trace.id} className={`card ${styles.side}`} data-side={index === 0 ? 'a' : 'b'}>
            <h2>
              <a href={hrefTo({ trace: trace.id, view: 'verdict' })}>{trace.name}</a>
            </h2>
            <p>{sentence}</p>
            <SideGaps trace={trace} />
            <CompareCurve trace={trace} longest={longest} top={top} />
          </section>
        ))}
      </div>
      {/* On a phone it scrolls sideways: by keys, too. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to have the focus */}
      <section className={`card ${styles.panel}`} aria-labelledby="measures" tabIndex={0}>
        <h2 id="measures">Measures</h2>
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">Measure</th>
              <th scope="col">{a.name}</th>
              <th scope="col">{b.name}</th>
              <th scope="col">Difference</th>
              <th scope="col">Ratio</th>
            </tr>
          </thead>
          <tbody>
            {data.measures.map((measure) => (
              <tr key={measure.name}>
                <th scope="row">{measure.name}</th>
                <td>{figure(measure.a, measure.unit)}</td>
                <td>{figure(measure.b, measure.unit)}</td>
                <td>{signed(measure.difference, measure.unit)}</td>
                <td className={styles.ratio}>{ratio(measure.a, measure.b)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <div className={styles.pair}>
        <BarSection
          title="Waste by how long it lasted"
          names={[a.name, b.name]}
          note={
            data.grades.some(({ grade, a_core_s, b_core_s }) => grade === 'recurrent' && a_core_s + b_core_s > 0) &&
            '* recurrent: short intervals between the same CPUs, counted in their own grades as well'
          }
        >
          {data.grades.map((grade) => (
            <ComparedBars
              key={grade.grade}
              name={gradeWords(grade.grade)}
              a={grade.a_core_s}
              b={grade.b_core_s}
              most={most}
              twice={grade.grade === 'recurrent'}
            />
          ))}
        </BarSection>
        <BarSection
          title="Waste by cause"
          names={[a.name, b.name]}
          note={
            causes.some(({ recurrent, a, b }) => recurrent && a + b > 0) &&
            '* recurrent: short intervals between the same CPUs, counted under their own causes as well'
          }
        >
          {causes.map((cause) => (
            <ComparedBars
              key={cause.name}
              name={cause.name}
              a={cause.a}
              b={cause.b}
              most={mostCause}
              long
              twice={cause.recurrent}
            />
          ))}
        </BarSection>
      </div>
    </>
  );
}

/** What the verdict of a side was made without. */
function SideGaps({ trace }: { trace: TraceSummary }) {
  const { data } = useVerdict(trace.id);
  return <div className={styles.gaps}>{data && <VerdictGaps verdict={data} of={trace.name} />}</div>;
}

/** Which of the two wasted more, and what one run each cannot say. */
function Headline({ data, a, b }: { data: Comparison; a: TraceSummary; b: TraceSummary }) {
  const share = data.measures.find(({ name }) => name === 'wasted share');
  if (!share || share.a === null || share.b === null) return null;
  const points = share.b - share.a;
  const size = `${significant(Math.abs(points) * 100)} points ${points < 0 ? 'less' : 'more'}`;
  return (
    <p className={styles.headline}>
      <b>
        {b.name} wasted {percent(share.b)} of its machine, {a.name} {percent(share.a)}:{' '}
        {points === 0 ? 'the same' : size}.
      </b>{' '}
      <span className="muted">
        One run of each: chance is not ruled out. <a href={hrefTo({ params: { runs: '1' } })}>Repeated runs</a> test it.
      </span>
    </p>
  );
}

interface BarSectionProps {
  title: string;
  /** Of the two traces, as the bars have them from top to bottom. */
  names: readonly [string, string];
  note: ReactNode;
  children: ReactNode;
}

function BarSection({ title, names, note, children }: BarSectionProps) {
  return (
    <section className={`card ${styles.panel}`}>
      <h2>{title}</h2>
      <p className={styles.key}>
        {names.map((name, index) => (
          <span key={name}>
            <i data-side={index === 0 ? 'a' : 'b'} /> {name}
          </span>
        ))}
      </p>
      <div className={styles.bars}>{children}</div>
      {note && <p className={styles.footnote}>{note}</p>}
    </section>
  );
}

interface ComparedBarsProps {
  name: string;
  a: number;
  b: number;
  most: number;
  /** It is counted in other rows as well. */
  twice: boolean;
  /** The name needs a line of its own. */
  long?: boolean;
}

function ComparedBars({ name, a, b, most, twice, long = false }: ComparedBarsProps) {
  return (
    <div className={styles.barPair} data-long={long}>
      <span>{name}</span>
      <div>
        {[a, b].map((value, index) => (
          <p key={index === 0 ? 'a' : 'b'}>
            <i data-side={index === 0 ? 'a' : 'b'} style={{ width: `${(value / most) * 100}%` }} />
            {coreSeconds(value)}
            {twice && value > 0 && '*'}
          </p>
        ))}
      </div>
    </div>
  );
}

function figure(value: number | null, unit: string): string {
  if (value === null) return '–';
  if (unit === 'core-s') return coreSeconds(value);
  if (unit === 'share') return percent(value);
  if (unit === 's') return duration(value * 1e9);
  const words = unit.replace('cpus', 'CPUs');
  return `${significant(value)} ${value === 1 ? words.replace(/s$/, '') : words}`;
}

function signed(value: number | null, unit: string): string {
  if (value === null || value === 0) return value === 0 ? 'same' : '–';
  const size = unit === 'share' ? `${significant(Math.abs(value) * 100)} points` : figure(Math.abs(value), unit);
  return `${value < 0 ? '−' : '+'}${size}`;
}

/** From here on a ratio says no more than that one of the two is almost nothing. */
const FAR_APART = 1000;

/** `b` by `a`; the figures beside it say how little almost none is. */
export function ratio(a: number | null, b: number | null): string {
  if (!a || b === null || a === b) return '';
  if (b === 0) return 'none';
  const times = b / a;
  if (times <= 1 / FAR_APART) return 'almost none';
  return times >= FAR_APART ? `over × ${count(FAR_APART)}` : `× ${significant(times)}`;
}

const CURVE_HEIGHT = 96;

/** Wasted cores over time, both traces on the same scales, up to `top` cores. */
function CompareCurve({ trace, longest, top }: { trace: TraceSummary; longest: number; top: number }) {
  const curve = useTable(ofTrace(trace.id, `curve${query({ bins: 400 })}`));
  const [ref, { width }] = useSize<HTMLDivElement>();
  return (
    <div ref={ref} className={styles.curve} style={{ height: CURVE_HEIGHT }}>
      {curve.data && width > 0 && (
        <svg width={width} height={CURVE_HEIGHT} role="img" aria-label={`Wasted cores over time, up to ${top}`}>
          <path d={areaOf(curve.data, trace, longest, top, width)} fill="var(--wasted-fill)" />
          <line
            x1={0}
            x2={(width * (trace.end_ns - trace.start_ns)) / longest}
            y1={CURVE_HEIGHT - 0.5}
            y2={CURVE_HEIGHT - 0.5}
            stroke="var(--line-strong)"
          />
        </svg>
      )}
    </div>
  );
}

function areaOf(table: Table, trace: TraceSummary, longest: number, top: number, width: number): string {
  const [starts, lengths, wasted] = [numbers(table, 'start_ns'), numbers(table, 'dur_ns'), numbers(table, 'wasted')];
  const x = (t: number) => (((t - trace.start_ns) / longest) * width).toFixed(1);
  const y = (value: number) => (CURVE_HEIGHT - (value / top) * CURVE_HEIGHT).toFixed(1);
  let path = '';
  for (let i = 0; i < table.rows; i++) {
    const from = starts[i] as number;
    path += `M${x(from)} ${CURVE_HEIGHT}V${y(wasted[i] as number)}H${x(from + (lengths[i] as number))}V${CURVE_HEIGHT}Z`;
  }
  return path;
}
