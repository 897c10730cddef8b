// Fingers: touch events as a phone's screen sends them (no mouse, no wheel), in the timeline and the replay.

import assert from 'node:assert/strict';
import test from 'node:test';
import { eventually, open, parameter, settled, withBrowser } from './browser.mjs';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const STEPS = 8;

/** A page with fingers: `move` takes where each finger starts and ends, in pixels of the window. */
async function openTouched(browser, hash) {
  const page = await open(browser, hash, PHONE);
  await page.evaluate(() => localStorage.setItem('wastenot.guide', 'seen'));
  await settled(page);
  const screen = await page.context().newCDPSession(page);
  const send = (type, touchPoints) => screen.send('Input.dispatchTouchEvent', { type, touchPoints });
  const move = async (...fingers) => {
    const at = (share) =>
      fingers.map(({ from, to }, id) => ({ id, x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share }));
    await send('touchStart', at(0));
    for (let step = 1; step <= STEPS; step++) await send('touchMove', at(step / STEPS));
    await send('touchEnd', []);
  };
  const canvas = await page.locator('canvas[role="img"]').boundingBox();
  const point = (x, y) => ({ x: canvas.x + canvas.width * x, y: canvas.y + canvas.height * y });
  return { page, move, point };
}

/** The page itself neither scrolled nor zoomed under the fingers. */
async function stayed(page) {
  const view = await page.evaluate(() => ({ scale: window.visualViewport.scale, y: window.scrollY }));
  assert.deepEqual(view, { scale: 1, y: 0 });
}

const windowOf = (page) => parameter(page, 'w')?.split('-').map(Number) ?? null;

test('one finger pans the timeline, two zoom what is between them, a tap says what ran', () =>
  withBrowser(async (browser) => {
    const { page, move, point } = await openTouched(browser, '#/wasted/timeline?w=70000000000-70400000000');

    await move({ from: point(0.7, 0.5), to: point(0.2, 0.5) });
    await eventually(() => windowOf(page)[0] > 70_050_000_000, 'one finger to the left shows what comes later');
    const panned = windowOf(page);
    assert.ok(Math.abs(panned[1] - panned[0] - 400_000_000) < 10, 'as much time as before');

    // Both move away from the middle of the canvas, which stays where it is.
    await move({ from: point(0.4, 0.5), to: point(0.2, 0.5) }, { from: point(0.6, 0.5), to: point(0.8, 0.5) });
    await eventually(() => windowOf(page)[1] - windowOf(page)[0] < 200_000_000, 'two fingers apart zoom in');
    const [start, end] = windowOf(page);
    const middle = (panned[0] + panned[1]) / 2;
    assert.ok(Math.abs((start + end) / 2 - middle) < 4_000_000, `the middle stays: ${(start + end) / 2 - middle} ns off`);

    await move({ from: point(0.2, 0.5), to: point(0.4, 0.5) }, { from: point(0.8, 0.5), to: point(0.6, 0.5) });
    await eventually(() => windowOf(page)[1] - windowOf(page)[0] > 2 * (end - start), 'together they zoom out');

    const finger = point(0.5, 0.3);
    await page.touchscreen.tap(finger.x, finger.y);
    await eventually(() => parameter(page, 'slice') !== null, 'a tap chooses a slice');
    await page.locator('section[aria-label="Details"] h2').first().waitFor();
    await stayed(page);
    assert.deepEqual(page.errors, []);
  }));

test('one finger moves the camera of the replay, two zoom', () =>
  withBrowser(async (browser) => {
    const { page, move, point } = await openTouched(browser, '#/wasted/replay?e=8&t=71000000000');
    const camera = () => parameter(page, 'cam')?.split(',').map(Number) ?? null;

    await move({ from: point(0.5, 0.6), to: point(0.7, 0.7) });
    await eventually(() => camera() !== null, 'the camera is in the link');
    const [k, x, y] = camera();
    assert.ok(x > 30 && y > 15, `moved by ${x}, ${y}`);

    await move({ from: point(0.4, 0.6), to: point(0.2, 0.6) }, { from: point(0.6, 0.6), to: point(0.8, 0.6) });
    await eventually(() => camera()[0] > k * 1.5, 'two fingers apart zoom in');
    const near = camera()[0];
    await move({ from: point(0.2, 0.6), to: point(0.4, 0.6) }, { from: point(0.8, 0.6), to: point(0.6, 0.6) });
    await eventually(() => camera()[0] < near / 1.5, 'together they zoom out');
    await stayed(page);
    assert.deepEqual(page.errors, []);
  }));
