/** Text for those who want to know. */
export const Folded = ({ title, text }: { title: string; text: string }) => (
  <details class="folded">
    <summary>{title}</summary>
    <pre tabIndex={0} role="region" aria-label={title}>
      {text}
    </pre>
  </details>
);
