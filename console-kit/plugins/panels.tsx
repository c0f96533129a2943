import { t, translate } from '../texts/t.ts';
import type { ComponentType } from 'preact';
import { useId } from 'preact/hooks';
import { Loading } from '../components/page.tsx';
import { Contained, PluginFault } from './plugin-fault.tsx';
import { panelsOn, type PluginPanel } from './plugin-pages.ts';
import { useModule } from './use-module.ts';

/** What a panel is given. */
export interface PanelProps {
  /** the record whose page it stands on, as the API answers it */
  record: { id: number; type: string; [field: string]: any };
  /** reads the record again, after the panel changed it */
  reload: () => Promise<void>;
}

/** Parts that plugins add to the page of a record; their code is loaded there only. */
export const Panels = (props: PanelProps) => (
  <>
    {panelsOn(props.record.type).map((panel) => (
      <Panel key={`${panel.module} ${panel.export}`} panel={panel} {...props} />
    ))}
  </>
);

/** One that draws nothing is not seen: styles hide it. */
function Panel({ panel, ...props }: PanelProps & { panel: PluginPanel }) {
  const id = useId();
  return (
    <section class="panel" aria-labelledby={id}>
      <h2 id={id}>{translate(panel.title)}</h2>
      <div class="panel-body">
        <Content panel={panel} {...props} />
      </div>
    </section>
  );
}

function Content({ panel, record, reload }: PanelProps & { panel: PluginPanel }) {
  const { title, plugin } = panel;
  const loaded = useModule(panel);
  if (!loaded) return <Loading what={title} />;
  if ('problem' in loaded) return <PluginFault what={t`panel`} plugin={plugin} problem={loaded.problem} />;
  const Part = loaded.module[panel.export] as ComponentType<PanelProps> | undefined;
  if (typeof Part !== 'function')
    return (
      <PluginFault what={t`panel`} plugin={plugin} problem={t`Its module exports no component ${panel.export}.`} />
    );
  return (
    <Contained what={t`panel`} plugin={plugin}>
      <Part record={record} reload={reload} />
    </Contained>
  );
}
