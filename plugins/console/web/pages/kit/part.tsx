import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

/** One part under its name. */
export function Part({ name, children }: { name: string; children: ComponentChildren }) {
  const id = useId();
  return (
    <section class="panel" aria-labelledby={id}>
      <h2 id={id}>{name}</h2>
      {children}
    </section>
  );
}
