// The picture as a file: a still (PNG, SVG) or a movie (WebM).

import type { ReplayFrame } from '../../replay/frame';
import { paint } from '../../replay/paint';
import { SvgPen } from '../../replay/pen';

export function svgOf(frame: ReplayFrame, title: string): Blob {
  const pen = new SvgPen();
  paint(pen, frame);
  return new Blob([pen.svg(frame.width, frame.height, title)], { type: 'image/svg+xml' });
}

/** Twice the page's size, so that it can be printed. */
export function pngOf(frame: ReplayFrame): Promise<Blob> {
  const canvas = document.createElement('canvas');
  canvas.width = frame.width * 2;
  canvas.height = frame.height * 2;
  const pen = canvas.getContext('2d', { alpha: false });
  if (!pen) return Promise.reject(new Error('this browser gives no canvas'));
  pen.scale(2, 2);
  paint(pen, frame);
  return new Promise((resolve, reject) =>
    canvas.toBlob((b) => (b ? resolve(b) : reject(new Error('the picture could not be made'))), 'image/png'),
  );
}

const MOVIE_TYPES = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm'];
export const movieType = (): string | null =>
  typeof MediaRecorder === 'undefined' ? null : (MOVIE_TYPES.find((t) => MediaRecorder.isTypeSupported(t)) ?? null);

export interface Movie {
  stop: () => Promise<Blob>;
}

const FPS = 60;

/**
 * Begins to film a canvas. The film keeps wall time: a second of it is a second of watching, so its speed is the player's.
 * Frames are taken when the canvas was painted, never in the middle.
 */
export function film(canvas: HTMLCanvasElement): Movie {
  const type = movieType();
  if (type === null) throw new Error('this browser cannot record a movie');
  const stream = canvas.captureStream(FPS);
  const recorder = new MediaRecorder(stream, { mimeType: type, videoBitsPerSecond: 12_000_000 });
  const parts: Blob[] = [];
  recorder.ondataavailable = (e) => parts.push(e.data);
  recorder.start(1000);
  return {
    stop: () =>
      new Promise((resolve) => {
        recorder.onstop = () => {
          for (const track of stream.getTracks()) track.stop();
          resolve(new Blob(parts, { type: 'video/webm' }));
        };
        recorder.stop();
      }),
  };
}
