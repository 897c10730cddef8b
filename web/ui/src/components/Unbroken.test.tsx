import { render } from '@testing-library/react';
import { expect, it } from 'vitest';
import { Unbroken } from './Unbroken';

const parts = (text: string) => {
  const { container } = render(<Unbroken text={text} />);
  expect(container.textContent).toBe(text);
  return [...container.querySelectorAll('span')].map((part) => part.textContent);
};

it('a figure stays with its unit', () => {
  expect(parts('46.5 core-s, 3.87 % of the machine in 18.8 s; certain.')).toEqual(['46.5 core-s', '3.87 %', '18.8 s']);
  expect(parts('1,225 waits of 28 threads in 5 steps')).toEqual([]);
});

it('a list of CPUs is broken between its ranges only', () => {
  expect(parts('waited on CPU 0-7 beside idle CPU 1,4-5,7-63.')).toEqual(['0-7', '1,', '4-5,', '7-63']);
});
