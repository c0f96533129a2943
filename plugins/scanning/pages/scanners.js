import { drawnPage, element } from '@tapline/console-kit';

const tools = {
  playbook_lint: 'Playbooks that are risky or out of style',
  iac_scan: 'Infrastructure that is insecure',
  dependency_audit: 'Requirements with known weaknesses',
};

/** The page in the console: scanners to switch on, and what they found. */
async function show(root, context) {
  const [options, scanners, results] = await Promise.all([
    context.request('OPTIONS', 'scanners/'),
    context.request('GET', 'scanners/?page_size=200'),
    context.request('GET', 'scan_results/?page_size=20'),
  ]);
  const again = () => show(root, context);
  root.replaceChildren(
    element(
      'ul',
      { class: 'cards' },
      ...Object.keys(tools).map((tool) =>
        cardOf(context, tool, scanners.results, options.actions.POST !== undefined, again),
      ),
    ),
    element('h2', {}, 'Results'),
    resultsOf(context, results.results),
  );
}

function cardOf({ request, toast }, tool, scanners, mayAdd, again) {
  const own = scanners.filter((scanner) => scanner.tool === tool);
  const act = (work) => () => void work().then(again, (error) => toast(error.message, 'bad'));
  const add = act(() => request('POST', 'scanners/', { body: { name: tools[tool], tool } }));
  return element(
    'li',
    { class: 'card' },
    element('h2', {}, tools[tool]),
    ...own.map(
      ({ name, url, enabled, enforcement, last_run_status: status, summary_fields: { user_capabilities: may } }) =>
        element(
          'p',
          {},
          `${name}: ${enforcement}${status ? `, last ${status}` : ''} `,
          may.edit &&
            element(
              'button',
              {
                class: 'button',
                type: 'button',
                click: act(() => request('POST', `${url}${enabled ? 'disable' : 'enable'}/`)),
              },
              enabled ? 'Disable' : 'Enable',
            ),
        ),
    ),
    own.length || !mayAdd
      ? null
      : element('button', { class: 'button primary', type: 'button', click: add }, `Add ${tool}`),
  );
}

function resultsOf(context, results) {
  if (!results.length) return element('p', { class: 'empty' }, 'Nothing was scanned so far.');
  return element('div', {}, ...results.map((result) => resultOf(context, result)));
}

/** What is there today counts no more; what comes new does. */
function acceptForm({ request, toast }, url, shown) {
  const reason = element('input', { required: true, maxlength: 1024 });
  const send = async (event) => {
    event.preventDefault();
    const { accepted } = await request('POST', `${url}accept/`, { body: { reason: reason.value } });
    toast(`${accepted} findings count no more`);
    shown.replaceChildren('Accepted: from the next launch on they count no more.');
  };
  return element(
    'form',
    { submit: (event) => void send(event).catch((error) => toast(error.message, 'bad')) },
    element('label', {}, 'Why they are accepted ', reason),
    ' ',
    element('button', { class: 'button' }, 'Accept these findings'),
  );
}

/** The findings are read when somebody looks. */
function resultOf({ request, toast }, { url, created, scanner_name: name, status, finding_count: count, message }) {
  const found = element('ul');
  const below = element('div');
  const open = async ({ target }) => {
    if (!target.open || found.childElementCount) return;
    const { findings, summary_fields: fields } = await request('GET', url);
    found.replaceChildren(
      ...findings.map(({ severity, rule_id: rule, file_path: file, line, message: text, accepted }) =>
        element(
          'li',
          {},
          element('code', {}, line === null ? file : `${file}:${line}`),
          ` ${severity} ${rule}: ${text}${accepted ? ' (accepted)' : ''}`,
        ),
      ),
    );
    const may = fields.user_capabilities.accept && findings.some((finding) => !finding.accepted);
    if (may) below.replaceChildren(acceptForm({ request, toast }, url, below));
  };
  const head = `${new Date(created).toLocaleString()} ${name}: ${status}, ${count} findings`;
  return element(
    'details',
    { toggle: (event) => void open(event).catch((error) => toast(error.message, 'bad')) },
    element('summary', {}, head),
    element('p', {}, message),
    found,
    below,
  );
}

export const routes = [{ pattern: '/scanners', page: drawnPage({ title: 'Scanning', path: '/scanners', draw: show }) }];
