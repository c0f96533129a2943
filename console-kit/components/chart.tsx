export interface ChartPoint {
  label: string;
  value: number;
  /** where it leads */
  href?: string;
}

interface Props {
  /** what is counted, for those who do not see it */
  caption: string;
  points: readonly ChartPoint[];
  /** how a value is written; default in the words of the language */
  text?: (value: number) => string;
}

const plain = (value: number) => value.toLocaleString('en');

/** Bars of the same scale, each with its number: a table that can be seen at a glance. */
export function Chart({ caption, points, text = plain }: Props) {
  const most = Math.max(1, ...points.map(({ value }) => value));
  return (
    <table class="chart">
      <caption>{caption}</caption>
      <tbody>
        {points.map(({ label, value, href }, i) => (
          <tr key={i}>
            <th scope="row">{href ? <a href={href}>{label}</a> : label}</th>
            <td>
              <meter min={0} max={most} value={value} aria-hidden="true" /> {text(value)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
