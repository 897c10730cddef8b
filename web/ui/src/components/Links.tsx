// Links. In a report, a link whose target the report does not carry is plain text, with the target's content as its title.

import type { ReactNode } from 'react';
import { hrefTo, sqlLink, usePlace } from '../navigation';
import { hasEpisode, isReport } from '../views/replay/stretches';

interface LinkProps {
  className?: string | undefined;
  title?: string;
  label?: string;
  children: ReactNode;
}

/** The query that proves a figure; in a report its text. */
export function QueryLink({ sql, title = '', children, ...rest }: LinkProps & { sql: string }) {
  const { trace } = usePlace();
  if (trace !== null && isReport(trace)) {
    return (
      <span {...rest} title={`${title}${title && ' '}\`wastenot sql\` gives it: ${sql}`}>
        {children}
      </span>
    );
  }
  return (
    <a {...rest} href={sqlLink(sql)} title={title ? `${title} Show the query.` : 'Show the query'}>
      {children}
    </a>
  );
}

/** An episode, by default on its own page; in a report the place in it, for those that it carries. */
export function EpisodeLink({
  episode,
  window,
  title,
  label,
  children,
  ...rest
}: LinkProps & { episode: number; window?: { start: number; end: number } }) {
  const { trace } = usePlace();
  if (trace !== null && !hasEpisode(trace, episode)) {
    return (
      <span {...rest} title="The report does not carry this episode; `wastenot serve` shows it">
        {children}
      </span>
    );
  }
  const report = trace !== null && isReport(trace);
  const place =
    window && !report ? ({ view: 'timeline', episode, window } as const) : ({ view: 'episodes', episode } as const);
  return (
    <a {...rest} href={hrefTo(place)} title={title} aria-label={label}>
      {children}
    </a>
  );
}
