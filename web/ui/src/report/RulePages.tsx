// The rules behind the answers of the episodes, each as its page of the documentation has it, folded.

import type { Question } from '../../../../schemas/ts/schema';
import { CommandText } from '../components/CommandText';
import { parseRulePage, rulePageId } from '../logic/rulePages';
import { questionWords } from '../logic/words';
import type { Archive } from './archive';
import styles from './Report.module.css';

export function RulePages({ archive }: { archive: Archive }) {
  const rules = Object.entries(archive.rules);
  if (rules.length === 0) return null;
  return (
    <section className={styles.rules} aria-labelledby="rules-title">
      <h2 id="rules-title">Rules of the causes</h2>
      {rules.map(([key, markdown]) => (
        <OneRule key={key} of={key} markdown={markdown} />
      ))}
    </section>
  );
}

function OneRule({ of, markdown }: { of: string; markdown: string }) {
  const [question = '', rule = ''] = of.split('/');
  const page = parseRulePage(markdown);
  return (
    <details id={rulePageId(question, rule)} className={styles.rule}>
      <summary>
        <span className="muted">{questionWords(question as Question)}</span> {page.name}
      </summary>
      <p className="muted">{page.about}</p>
      {page.sections.map(({ title, paragraphs, items }) => (
        <section key={title}>
          <h3>{title}</h3>
          {paragraphs.map((text) => (
            <p key={text}>
              <CommandText text={text} />
            </p>
          ))}
          {items.length > 0 && (
            <ul>
              {items.map((text) => (
                <li key={text}>
                  <CommandText text={text} />
                </li>
              ))}
            </ul>
          )}
        </section>
      ))}
    </details>
  );
}
