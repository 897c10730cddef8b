// The page of the documentation about the rule behind an answer. A report carries it itself; where it does not, its file is named.

import { hasRulePage, rulePageId } from '../logic/rulePages';
import { usePlace } from '../navigation';
import { isReport } from '../views/replay/stretches';
import styles from './RuleLink.module.css';

const TITLE = 'What the rule says, its proof and its limits';

interface RuleLinkProps {
  question: string;
  rule: string;
}

export function RuleLink({ question, rule }: RuleLinkProps) {
  const { trace } = usePlace();
  const page = `docs/causes/${question}/${rule}`;
  if (trace !== null && isReport(trace)) {
    if (!hasRulePage(question, rule)) return <code>{page}.md</code>;
    return (
      <button type="button" className={styles.link} title={TITLE} onClick={() => open(question, rule)}>
        {rule}
      </button>
    );
  }
  return (
    <a href={`${page}.html`} target="_blank" rel="noreferrer" title={TITLE}>
      {rule}
    </a>
  );
}

/** Unfolds the page in the report, and goes to it. */
function open(question: string, rule: string): void {
  const page = document.getElementById(rulePageId(question, rule));
  if (!(page instanceof HTMLDetailsElement)) return;
  page.open = true;
  page.scrollIntoView();
  page.querySelector('summary')?.focus({ preventScroll: true });
}
