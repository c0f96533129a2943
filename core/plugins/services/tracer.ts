import type { Tracer } from '@tapline/plugin-sdk';

const untraced = { set: () => undefined };

/** Spans go to the tracer that a plugin offers to the extension point `tracer`; without one they cost nothing. */
export function tracerBy(tracers: () => readonly Tracer[]): Tracer {
  let tracer: Tracer | null | undefined;
  return {
    async span(name, work) {
      // what was offered is complete before anything runs
      tracer ??= tracers()[0] ?? null;
      return tracer ? tracer.span(name, work) : work(untraced);
    },
  };
}
