import { lazily, t } from '@tapline/console-kit';
import { resources } from '../../resources/registry.ts';

const Page = lazily(t`the command`, async () => (await import('./command-page.tsx')).CommandPage);

/** On a record of the resource with this path. */
export function commandPage(path: string) {
  const resource = resources.find((one) => one.path === path)!;
  return ({ params }: { params: Record<string, string> }) => (
    <Page key={`${path} ${params['id']}`} resource={resource} id={Number(params['id'])} />
  );
}
