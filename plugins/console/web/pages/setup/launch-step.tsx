import { t } from '@tapline/console-kit';
import { own } from '../../api/steps.ts';

export function LaunchStep() {
  const template = own.value?.template;
  if (!template) return <p class="muted">{t`This becomes possible once there is a template.`}</p>;
  return (
    <p>
      <a class="button primary" href={`/templates/${template.id}/launch`}>{t`Launch ${template.name}`}</a>
    </p>
  );
}
