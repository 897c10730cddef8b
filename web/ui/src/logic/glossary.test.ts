import { expect, it } from 'vitest';
import { GRADE, PROOF } from '../../../../schemas/ts/schema';
import { GLOSSARY, meaningOf, parseGlossary } from './glossary';

it('rows of a table are terms; code marks and links leave their text', () => {
  const page =
    '# G\n\n## Waste\n\n| term | meaning | source |\n| --- | --- | --- |\n| `in_flight` | Up to [a tick](x.md) | – |\n';
  expect(parseGlossary(page)).toEqual([{ title: 'Waste', terms: [{ name: 'in flight', meaning: 'Up to a tick' }] }]);
});

it('the glossary of the documentation has terms in groups, and each grade and proof level', () => {
  expect(GLOSSARY.length).toBeGreaterThan(3);
  expect(GLOSSARY.flatMap(({ terms }) => terms).length).toBeGreaterThan(50);
  for (const term of [...GRADE, ...PROOF, 'wasted', 'severity', 'core-s']) expect(meaningOf(term), term).toBeTruthy();
});
