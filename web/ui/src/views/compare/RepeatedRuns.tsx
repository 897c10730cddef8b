// Repeated runs of two sides: which traces are which, what changed, by how much, and whether chance explains it.

import { useState } from 'react';
import { file } from '../../api/client';
import { useJson, useVerdicts } from '../../api/hooks';
import type { BaselineFile, RunComparison, TraceSummary } from '../../api/types';
import { GapList } from '../../components/EvidenceGaps';
import { Icon } from '../../components/Icon';
import { Ready } from '../../components/States';
import { download } from '../../download';
import { verdictGaps } from '../../logic/gaps';
import { count, duration, percent } from '../../logic/units';
import { adjust, usePlace } from '../../navigation';
import styles from './Compare.module.css';
import { DifferenceTable } from './DifferenceTable';
import { addressOf, baselinesOf, SIDES, type Side, type Sides, sidesOf, withBaseline, withTraces } from './sides';

export function RepeatedRuns({ traces }: { traces: readonly TraceSummary[] }) {
  const { params } = usePlace();
  const ids = traces.map(({ id }) => id);
  const sides = sidesOf(params, ids);
  const { data: files = [] } = useJson<BaselineFile[]>('compare/baselines');
  const baselines = baselinesOf(
    params,
    files.filter(({ error }) => error === null).map(({ name }) => name),
  );
  const address = addressOf(sides, baselines);
  return (
    <>
      <header className={styles.head}>
        <h1>Repeated runs of two sides</h1>
      </header>
      <SidesTable traces={traces} sides={sides} files={files} baselines={baselines} />
      <RunGaps traces={traces.filter(({ id }) => sides.base.includes(id) || sides.new.includes(id))} />
      {address === null ? (
        <p className="muted">Choose the runs of both sides: one trace at least on each, better ten.</p>
      ) : (
        <RunComparisonBody address={address} />
      )}
    </>
  );
}

/** What the verdicts of the runs were made without, a line for the runs that lack the same. */
function RunGaps({ traces }: { traces: readonly TraceSummary[] }) {
  const verdicts = useVerdicts(traces.map(({ id }) => id));
  const runs = new Map<string, string[]>();
  traces.forEach(({ name }, index) => {
    const { data } = verdicts[index] ?? {};
    const text = data ? verdictGaps(data).join(' ') : '';
    if (text) runs.set(text, [...(runs.get(text) ?? []), name]);
  });
  return <GapList lines={[...runs].map(([text, names]) => `${namesOf(names, traces.length)}: ${text}`)} />;
}

/** Runs by name, and all of them as such. */
const namesOf = (names: readonly string[], all: number): string =>
  names.length === all && all > 1 ? 'All runs' : names.join(', ');

function RunComparisonBody({ address }: { address: string }) {
  const answer = useJson<RunComparison>(address);
  return (
    <Ready of={answer} what="Comparing" height="40vh">
      {(data) => (
        <>
          <section className={`card ${styles.panel}`} data-alarm={data.comparable ? undefined : 'doubt'}>
            <p className={styles.sentence}>{data.sentence}</p>
            {data.moved && <p>{data.moved}</p>}
            {data.others && <p>{data.others}</p>}
            {[
              ['Not comparable', data.reasons_against],
              ['Notes', data.notes],
            ].map(
              ([title, lines]) =>
                lines &&
                lines.length > 0 && (
                  <div key={String(title)}>
                    <h2>{title}</h2>
                    <ul className={styles.remarks}>
                      {(lines as string[]).map((line) => (
                        <li key={line}>{line}</li>
                      ))}
                    </ul>
                  </div>
                ),
            )}
          </section>
          <DifferenceTable data={data} />
        </>
      )}
    </Ready>
  );
}

interface SidesTableProps {
  traces: readonly TraceSummary[];
  sides: Sides;
  files: readonly BaselineFile[];
  /** Of these the chosen ones. */
  baselines: readonly string[];
}

/** From more traces than so many on, some are found by their names. */
const FEW = 4;

/** The traces of the folder, each on the base, on the new side, or on neither; baselines on the base or not. */
function SidesTable({ traces, sides, files, baselines }: SidesTableProps) {
  const { params } = usePlace();
  const ids = traces.map(({ id }) => id);
  const [part, setPart] = useState('');
  const shown = traces.filter(({ name }) => name.toLowerCase().includes(part.trim().toLowerCase()));
  const put = (chosen: readonly string[], side: Side | null) =>
    adjust({ params: withTraces(params, ids, chosen, side) });
  return (
    <section className={`card ${styles.panel}`}>
      <div className={styles.head}>
        <h2>Runs</h2>
        {sides.base.length > 0 && <SaveBaseline key={sides.base.join()} runs={sides.base} />}
      </div>
      {traces.length > FEW && (
        <div className={styles.head}>
          <input
            type="search"
            className="input"
            placeholder="part of a name"
            aria-label="Traces with this in their names"
            value={part}
            onChange={(event) => setPart(event.target.value)}
          />
          <span className="muted" role="status">
            {shown.length === traces.length ? `${traces.length} traces` : `${shown.length} of ${traces.length} traces`}
          </span>
          {([...SIDES, null] as const).map((side) => (
            <button
              key={side ?? 'neither'}
              type="button"
              className="button"
              disabled={shown.length === 0 || (side !== null && part.trim() === '')}
              onClick={() =>
                put(
                  shown.map(({ id }) => id),
                  side,
                )
              }
            >
              {side === null ? 'All shown: neither' : `All shown: ${side}`}
            </button>
          ))}
        </div>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to have the focus */}
      <div className={styles.runs} tabIndex={0}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">Trace</th>
              {SIDES.map((side) => (
                <th key={side} scope="col">
                  {side === 'base' ? 'Base' : 'New'}
                </th>
              ))}
              <th scope="col">Neither</th>
              <th scope="col">Kernel</th>
              <th scope="col">Length</th>
              <th scope="col">Wasted</th>
            </tr>
          </thead>
          <tbody>
            {files.map((of) => (
              <BaselineRow key={of.name} file={of} chosen={baselines.includes(of.name)} files={files} />
            ))}
            {shown.map((trace) => (
              <tr key={trace.id}>
                <th scope="row">{trace.name}</th>
                {([...SIDES, null] as const).map((side) => (
                  <td key={side ?? 'neither'} className={styles.choice}>
                    <input
                      type="radio"
                      name={`side of ${trace.id}`}
                      aria-label={`${trace.name}: ${side ?? 'neither'}`}
                      checked={(SIDES.find((item) => sides[item].includes(trace.id)) ?? null) === side}
                      onChange={() => put([trace.id], side)}
                    />
                  </td>
                ))}
                <td>{trace.kernel ?? 'not recorded'}</td>
                <td>{duration(trace.end_ns - trace.start_ns)}</td>
                <td>{percent(trace.wasted_share)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** A baseline that `wastenot compare --save-baseline` kept in the folder: on the base, or not. */
function BaselineRow({ file, chosen, files }: { file: BaselineFile; chosen: boolean; files: readonly BaselineFile[] }) {
  const { params } = usePlace();
  const known = files.map(({ name }) => name);
  const { name, error, runs, kernels } = file;
  const choice = (on: boolean) => (
    <td className={styles.choice}>
      <input
        type="radio"
        name={`side of ${name}`}
        aria-label={`${name}: ${on ? 'base' : 'neither'}`}
        checked={chosen === on}
        onChange={() => adjust({ params: withBaseline(params, known, name, on) })}
      />
    </td>
  );
  if (error !== null)
    return (
      <tr>
        <th scope="row">{name}</th>
        <td colSpan={6} className="muted">
          {error}
        </td>
      </tr>
    );
  return (
    <tr>
      <th scope="row">
        {name} <span className="muted">baseline, {runs === 1 ? '1 run' : `${count(runs)} runs`}</span>
      </th>
      {choice(true)}
      <td />
      {choice(false)}
      <td>{kernels.join(', ') || 'not recorded'}</td>
      <td />
      <td />
    </tr>
  );
}

/** Hands the figures of the base's runs to the user, as `wastenot compare --save-baseline` writes them. */
function SaveBaseline({ runs }: { runs: readonly string[] }) {
  const [refused, setRefused] = useState<string | null>(null);
  const save = async () => {
    try {
      download(
        'base.json',
        await file(`compare/baseline?${runs.map((id) => `run=${encodeURIComponent(id)}`).join('&')}`),
      );
      setRefused(null);
    } catch (error) {
      setRefused((error as Error).message);
    }
  };
  return (
    <>
      <button
        type="button"
        className="button"
        title="Figures of the runs of the base, to compare later runs with: wastenot compare --baseline"
        onClick={save}
      >
        <Icon name="download" /> Save the base as a baseline
      </button>
      {refused !== null && <span role="alert">{refused}</span>}
    </>
  );
}
