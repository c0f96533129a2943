// Plain JavaScript: to take types out of it would cost this thread, on every node, more memory than all of the rest.
import { Session } from 'node:inspector/promises';
import { parentPort, workerData } from 'node:worker_threads';

const { beats, thresholdMs } = workerData;
const lookMs = 100;
/** When this thread was not run either, the machine is to blame, and nobody in particular. */
const starvedMs = 350;
const framesShown = 8;

let stand = { since: performance.now(), beat: Atomics.load(beats, 0), seen: undefined };
let lastLook = performance.now();
let looking = false;

// an interval, since a session alone does not keep the thread alive
setInterval(() => {
  if (looking) return;
  looking = true;
  void look().finally(() => (looking = false));
}, lookMs);

async function look() {
  const now = performance.now();
  const starved = now - lastLook > starvedMs;
  lastLook = now;
  const beat = Atomics.load(beats, 0);
  if (beat !== stand.beat) {
    if (stand.seen) tell(stand.seen, now - stand.since);
    stand = { since: now, beat, seen: undefined };
  } else if (starved) {
    stand.since = now;
  } else if (stand.seen === undefined && now - stand.since > thresholdMs) {
    stand.seen = null;
    const found = await sight();
    // it went on by itself before it could be asked: whoever runs now had no part in it
    if (Atomics.load(beats, 0) === stand.beat) stand.seen = found;
    lastLook = performance.now();
  }
}

function tell(seen, milliseconds) {
  // a thread, not a window: there is no origin
  // oxlint-disable-next-line require-post-message-target-origin
  parentPort.postMessage({ ...seen, milliseconds: Math.round(milliseconds) });
}

/** Stops the main thread for a moment and asks where it is. The session is closed again: an open one costs speed. */
async function sight() {
  const session = new Session();
  session.connectToMainThread();
  try {
    const { promise: stopped, resolve } = Promise.withResolvers();
    const files = new Map();
    session.on('Debugger.scriptParsed', ({ params }) => files.set(params.scriptId, params.url));
    session.once('Debugger.paused', ({ params }) => resolve(params.callFrames));
    await session.post('Debugger.enable');
    await session.post('Debugger.pause');
    const frames = await stopped;
    const { result } = await session.post('Debugger.evaluateOnCallFrame', {
      callFrameId: frames[0].callFrameId,
      expression: "globalThis[Symbol.for('tapline.section')]()",
      silent: true,
    });
    await session.post('Debugger.resume');
    await session.post('Debugger.disable');
    const stack = frames
      .slice(0, framesShown)
      .map(
        ({ functionName, location: { scriptId, lineNumber } }) =>
          `${functionName || '(anonymous)'} ${files.get(scriptId) ?? ''}:${lineNumber + 1}`,
      );
    return { section: JSON.parse(result.value ?? 'null'), stack };
  } catch {
    return null;
  } finally {
    session.disconnect();
  }
}
