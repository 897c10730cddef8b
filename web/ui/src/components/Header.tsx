// The bar on top: the trace, the views, search, link, theme, help; and the keys that work everywhere.

import { useEffect, useRef, useState } from 'react';
import type { TraceSummary } from '../api/types';
import { copyText } from '../clipboard';
import { VIEW_KEYS } from '../logic/keys';
import { VIEWS } from '../logic/place';
import { go, hrefTo, usePlace } from '../navigation';
import { useShade } from '../theme';
import { VIEW_PARTS } from '../views/registry';
import styles from './Header.module.css';
import { Help } from './Help';
import { Icon } from './Icon';
import { IdentityBar } from './IdentityBar';
import { Search } from './Search';
import { type Bindings, useKeys } from './useKeys';

export function Header({ traces, trace }: { traces: readonly TraceSummary[]; trace: TraceSummary | null }) {
  const place = usePlace();
  const [help, setHelp] = useState(false);
  const [search, setSearch] = useState(false);
  const [about, setAbout] = useState(false);
  const [copied, copy] = useCopiedLink();
  const [shade, setShade] = useShade(place.theme);
  const nav = useRef<HTMLElement>(null);
  const view = trace && place.view;
  useEffect(() => {
    if (view) showCurrent(nav.current);
  }, [view]);
  const other = shade === 'dark' ? 'light' : 'dark';

  const keys: Bindings = { '?': () => setHelp(true), y: copy };
  if (trace) {
    keys['/'] = keys['mod+k'] = () => setSearch(true);
    keys.i = () => setAbout(true);
    for (const item of VIEWS) keys[VIEW_KEYS[item]] = () => go({ view: item });
  }
  useKeys(keys);

  return (
    <header className={styles.head}>
      <div className={`${styles.bar} no-print`}>
        <a href="#/" className={styles.brand} aria-label="wastenot: all traces">
          <LogoMark />
          <span className={styles.word}>wastenot</span>
        </a>
        {trace && (
          <>
            <label className={styles.picker}>
              <span className="unseen">Trace</span>
              <select value={trace.id} onChange={(event) => go({ trace: event.target.value })}>
                {traces.map((item) => (
                  <option key={item.id} value={item.id}>
                    {item.name}
                  </option>
                ))}
              </select>
              <Icon name="down" />
            </label>
            <nav ref={nav} className={styles.nav} aria-label="Views">
              {VIEWS.map((item) => (
                <a
                  key={item}
                  href={hrefTo({ view: item })}
                  aria-current={place.view === item ? 'page' : undefined}
                  title={`${VIEW_PARTS[item].title} (${VIEW_KEYS[item]})`}
                >
                  {VIEW_PARTS[item].title}
                </a>
              ))}
            </nav>
          </>
        )}
        <div className={styles.tools}>
          {trace && (
            <button type="button" className={styles.search} onClick={() => setSearch(true)} aria-label="Search">
              <Icon name="search" />
              <span>Search</span>
              <kbd>/</kbd>
            </button>
          )}
          {trace && (
            <button
              type="button"
              className="quiet icon"
              onClick={copy}
              aria-label="Copy link"
              title="Copy the link to what you see (y)"
            >
              <Icon name={copied ? 'check' : 'link'} />
            </button>
          )}
          <button
            type="button"
            className="quiet icon"
            onClick={() => setShade(other)}
            aria-label={`Use ${other} colours`}
            title={`Use ${other} colours`}
          >
            <Icon name={shade === 'dark' ? 'sun' : 'moon'} />
          </button>
          <button
            type="button"
            className="quiet icon"
            onClick={() => setHelp(true)}
            aria-label="Help"
            title="Keyboard and glossary (?)"
          >
            <Icon name="help" />
          </button>
        </div>
      </div>
      {trace && (
        <IdentityBar trace={trace} open={about} onOpen={() => setAbout(true)} onClose={() => setAbout(false)} />
      )}
      <output className="unseen">{copied ? 'Link copied' : ''}</output>
      <Help open={help} onClose={() => setHelp(false)} />
      {trace && search && <Search trace={trace} onClose={() => setSearch(false)} />}
    </header>
  );
}

/** Where the views' names do not all fit, that of the present one is scrolled into sight. */
function showCurrent(nav: HTMLElement | null) {
  const link = nav?.querySelector<HTMLElement>('[aria-current]');
  if (!nav || !link) return;
  const left = link.offsetLeft - nav.offsetLeft;
  const hidden = left < nav.scrollLeft || left + link.offsetWidth > nav.scrollLeft + nav.clientWidth;
  if (hidden) nav.scrollLeft = left - (nav.clientWidth - link.offsetWidth) / 2;
}

/** Whether the link was just copied, and the function that copies it. */
function useCopiedLink(): [boolean, () => void] {
  const [copied, setCopied] = useState(false);
  const copy = () => {
    void copyText(location.href).then((done) => {
      if (!done) return;
      setCopied(true);
      setTimeout(() => setCopied(false), 1500);
    });
  };
  return [copied, copy];
}

function LogoMark() {
  return (
    <svg width="22" height="22" viewBox="0 0 22 22" aria-hidden="true">
      <rect x="1" y="1" width="9" height="9" rx="2" fill="var(--busy-fill)" />
      <rect x="12" y="1" width="9" height="9" rx="2" fill="var(--busy-fill)" />
      <rect x="1" y="12" width="9" height="9" rx="2" fill="var(--busy-fill)" />
      <rect
        x="12.9"
        y="12.9"
        width="7.2"
        height="7.2"
        rx="1.4"
        fill="none"
        stroke="var(--wasted-fill)"
        strokeWidth="1.8"
      />
    </svg>
  );
}
