import { expect, it } from 'vitest';
import { flameBoxes, flameTree, functionOf, heaviest, neighbour, nodeAt } from './flame';

const STACKS = [
  { symbols: ['schedule+0x2f/0x90', 'futex_wait+0x10', 'do_syscall_64+0x3b'], state: 'sleeping', value: 60 },
  { symbols: ['schedule+0x2f', 'do_nanosleep+0x8', 'do_syscall_64+0x3b'], state: 'sleeping', value: 30 },
  { symbols: ['preempt_schedule_irq', 'asm_sysvec_apic_timer_interrupt'], state: 'preempted', value: 10 },
];

it('names functions without offsets and modules, and leaves addresses', () => {
  expect(functionOf('schedule+0x2f/0x90')).toBe('schedule');
  expect(functionOf('nvme_queue_rq+0x12/0x40 [nvme]')).toBe('nvme_queue_rq');
  expect(functionOf('0xffffffff81001234')).toBe('0xffffffff81001234');
});

it('merges what stacks have in common, from the outermost function on, below the state', () => {
  const root = flameTree(STACKS);
  expect(root.value).toBe(100);
  const sleeping = root.children.find((child) => child.name === 'sleeping');
  expect(sleeping).toMatchObject({ value: 90, isState: true, self: 0 });
  expect(sleeping?.children.map(({ name, value }) => [name, value])).toEqual([['do_syscall_64', 90]]);
  const syscall = sleeping?.children[0];
  expect(syscall?.children.map(({ name, value }) => [name, value])).toEqual([
    ['futex_wait', 60],
    ['do_nanosleep', 30],
  ]);
  expect(syscall?.children[0]?.children[0]).toMatchObject({ name: 'schedule', value: 60, self: 60 });
});

it('places each box below its caller, as wide as its share; the heaviest first', () => {
  const boxes = flameBoxes(flameTree(STACKS), 0);
  const place = (name: string) => boxes.filter((box) => box.node.name === name);
  expect(place('all')[0]).toMatchObject({ x: 0, width: 1, depth: 0, parent: null });
  expect(place('sleeping')[0]).toMatchObject({ x: 0, depth: 1 });
  expect(place('sleeping')[0]?.width).toBeCloseTo(0.9);
  expect(place('preempted')[0]?.x).toBeCloseTo(0.9);
  expect(place('schedule').map((box) => Number(box.width.toFixed(3)))).toEqual([0.6, 0.3]);
  const under = boxes.filter((box) => box.parent === place('do_syscall_64')[0]?.node.path);
  expect(under.reduce((sum, box) => sum + box.width, 0)).toBeCloseTo(0.9);
  expect(flameBoxes(flameTree(STACKS), 0.2).some((box) => box.node.name === 'preempted')).toBe(false);
});

it('shows a part alone, as wide as the whole', () => {
  const root = flameTree(STACKS);
  const path = flameBoxes(root, 0).find((box) => box.node.name === 'futex_wait')?.node.path as string;
  expect(nodeAt(root, path).name).toBe('futex_wait');
  expect(flameBoxes(nodeAt(root, path), 0)[1]).toMatchObject({ width: 1, node: { name: 'schedule' } });
  expect(nodeAt(root, 'nothing of it').name).toBe('all');
});

it('goes from box to box by arrow keys', () => {
  const boxes = flameBoxes(flameTree(STACKS), 0);
  const step = (path: string, key: string) => neighbour(boxes, path, key)?.node;
  const sleeping = step('', 'ArrowDown');
  expect(sleeping?.name).toBe('sleeping');
  expect(step(sleeping?.path as string, 'ArrowRight')?.name).toBe('preempted');
  expect(step(sleeping?.path as string, 'ArrowLeft')).toBeUndefined();
  expect(step(sleeping?.path as string, 'ArrowUp')?.name).toBe('all');
});

it('adds up functions wherever they are called, a stack once', () => {
  const twice = { symbols: ['schedule', 'io_schedule', 'schedule'], value: 5 };
  expect(heaviest([...STACKS, twice], 2)).toEqual([
    { name: 'schedule', value: 95 },
    { name: 'do_syscall_64', value: 90 },
  ]);
});

it('is empty without stacks, and leaves out what counts nothing', () => {
  expect(flameTree([])).toMatchObject({ value: 0, children: [] });
  expect(flameTree([{ symbols: ['schedule'], value: 0 }]).children).toEqual([]);
});
