import type { Tracer } from '@tapline/plugin-sdk';

interface TapablesTap {
  name: string;
  fn: (...given: unknown[]) => Promise<unknown>;
}

/**
 * An interceptor that puts a span around every tap. It is `register` that wraps: the others of tapable are never told
 * of an end. The tracer is a plugin's too, so nothing waits for it and what it throws stops no tap.
 */
export const spansBy = (tracer: Tracer, log: { warn(fields: object, text: string): void }) => ({
  register: (tap: TapablesTap): TapablesTap => ({
    ...tap,
    fn: (...given) => {
      let running: Promise<unknown> | undefined;
      const run = () => (running ??= tap.fn(...given));
      const failed = (err: unknown) => log.warn({ err, tap: tap.name }, 'the tracer failed');
      try {
        tracer.span(`hook tap ${tap.name}`, () => run().then(() => undefined)).catch(failed);
      } catch (error) {
        failed(error);
      }
      return run();
    },
  }),
});
