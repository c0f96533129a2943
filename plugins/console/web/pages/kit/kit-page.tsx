import { PageLayout, t } from '@tapline/console-kit';
import { AskedParts } from './asked-parts.tsx';
import { ListParts } from './list-parts.tsx';
import { SaidParts } from './said-parts.tsx';
import { ShownParts } from './shown-parts.tsx';

/** Each part of the kit as it looks and works, for whoever writes a page; it stands in no menu. */
export const KitPage = () => (
  <PageLayout
    title={t`Console kit`}
    trail={[{ label: t`Plugins`, href: '/plugins' }]}
    intro={t`What pages are made of, core's own and those of plugins.`}
    actions={<a href="/api/docs/">{t`API`}</a>}
  >
    <SaidParts />
    <ShownParts />
    <AskedParts />
    <ListParts />
  </PageLayout>
);
