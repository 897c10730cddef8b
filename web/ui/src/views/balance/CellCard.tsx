// The exact values of a cell, beside it.

import { useLayoutEffect, useRef, useState } from 'react';
import type { BalanceCells, ParallelApplication } from '../../api/types';
import { type Cell, columnWords } from '../../logic/balance/cells';
import { PARTS, partNs, partWords } from '../../logic/balance/parts';
import { type Box, beside as placeBeside } from '../../logic/beside';
import { count, duration, moment, percent } from '../../logic/units';
import styles from './Balance.module.css';

interface CellCardProps {
  app: ParallelApplication;
  cells: BalanceCells;
  cell: Cell;
  /** The cell, in the window. */
  beside: Box;
}

const GAP = 8;

export function CellCard({ app, cells, cell, beside }: CellCardProps) {
  const card = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 300, height: 200 });
  useLayoutEffect(() => {
    const { offsetWidth: width, offsetHeight: height } = card.current ?? { offsetWidth: 0, offsetHeight: 0 };
    setSize((before) => (before.width === width && before.height === height ? before : { width, height }));
  });
  const column = cells.columns[cell.column];
  const rank = app.rank[cell.rank];
  if (!column || !rank) return null;
  const length = column.end_ns - column.start_ns;
  const utilization = cells.utilization[cell.rank]?.[cell.column] ?? null;
  const view = { left: 0, top: 0, width: window.innerWidth, height: window.innerHeight };
  const { left, top } = placeBeside(beside, size, view, GAP);
  return (
    <div ref={card} className={styles.card} style={{ left, top }} aria-hidden="true" data-testid="cell">
      <b>
        Rank {rank.rank}, {columnWords(app, cells, cell.column)}
      </b>
      <p className="muted">
        {rank.name} {rank.tid}; {moment(column.start_ns - app.start_ns, length / 100)} after all ranks were alive, for{' '}
        {duration(length)}
      </p>
      <table>
        <tbody>
          {PARTS.filter((part) => partNs(cells, part, cell.rank, cell.column) > 0).map((part) => (
            <Row key={part} name={partWords(part, app)} ns={partNs(cells, part, cell.rank, cell.column)} of={length} />
          ))}
        </tbody>
      </table>
      <p>
        U {utilization === null ? '–' : percent(utilization)}
        {column.load_balance !== null && `; load balance of all ranks ${percent(column.load_balance)}`}
        {column.lost_ns !== null && `, lost ${duration(column.lost_ns)}`}
        {column.last_rank !== null && `; rank ${column.last_rank} ended last`}
      </p>
      {column.observed < column.last - column.first + 1 && (
        <p>
          {count(column.last - column.first + 1 - column.observed)} of {count(column.last - column.first + 1)} left out
          of the figures: the state of a rank is not known.
        </p>
      )}
    </div>
  );
}

function Row({ name, ns, of }: { name: string; ns: number; of: number }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{percent(ns / of)}</td>
      <td>{duration(ns)}</td>
      <td className="muted">{count(ns)} ns</td>
    </tr>
  );
}
