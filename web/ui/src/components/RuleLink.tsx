// The page of the documentation about the rule behind an answer. A report has no server that has it: there its file is named.

import { usePlace } from '../navigation';
import { isReport } from '../views/replay/stretches';

interface RuleLinkProps {
  question: string;
  rule: string;
}

export function RuleLink({ question, rule }: RuleLinkProps) {
  const { trace } = usePlace();
  const page = `docs/causes/${question}/${rule}`;
  if (trace !== null && isReport(trace)) return <code>{page}.md</code>;
  return (
    <a href={`${page}.html`} target="_blank" rel="noreferrer" title="What the rule says, its proof and its limits">
      {rule}
    </a>
  );
}
