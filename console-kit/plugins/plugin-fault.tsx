import { t } from '../texts/t.ts';
import type { ComponentChildren } from 'preact';
import { useErrorBoundary } from 'preact/hooks';
import { Notice } from '../components/notice.tsx';

interface Props {
  /** `panel` */
  what: string;
  plugin: string;
  problem: string;
  again?: () => void;
}

/** Said in the place of what failed. */
export const PluginFault = ({ what, plugin, problem, again }: Props) => (
  <Notice tone="bad" title={t`This ${what} of the plugin ${plugin} failed`} alert>
    <p>{problem}</p>
    {again && <button type="button" onClick={again}>{t`Try again`}</button>}
  </Notice>
);

/** Whatever is thrown while it is drawn stays in it. */
export function Contained({
  what,
  plugin,
  frame = (fault) => fault,
  children,
}: Pick<Props, 'what' | 'plugin'> & {
  /** what stands around the message */
  frame?: (fault: ComponentChildren) => ComponentChildren;
  children: ComponentChildren;
}) {
  const [error, again] = useErrorBoundary((fault) => console.warn(`The ${what} of plugin ${plugin} failed:`, fault));
  if (error === undefined) return <>{children}</>;
  const problem = error instanceof Error ? error.message : String(error);
  return <>{frame(<PluginFault what={what} plugin={plugin} problem={problem} again={again} />)}</>;
}
