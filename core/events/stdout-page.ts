import { escapeHtml } from './ansi.ts';

const names = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];
const palettes = {
  light: {
    page: '#fff',
    text: '#161b1f',
    colours: ['#161b1f', '#d9534f', '#2d7d2d', '#8a6d00', '#2b6cb0', '#8e44ad', '#13727e', '#5c6670'],
  },
  dark: {
    page: '#161b1f',
    text: '#e6edf3',
    colours: ['#8b949e', '#ff7b72', '#5fd068', '#e3b341', '#79c0ff', '#d2a8ff', '#56d4dd', '#f0f6fc'],
  },
};

/** Begin and end of the page around the coloured output. */
export function stdoutPage(title: string, dark: boolean): { begin: string; end: string } {
  const { page, text, colours } = dark ? palettes.dark : palettes.light;
  const rules = names.flatMap((_, i) => [
    `.ansi3${i},.ansi9${i}{color:${colours[i]}}`,
    `.ansi4${i},.ansi10${i}{background:${colours[i]}}`,
  ]);
  return {
    begin: `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title><style>
body{background:${page};color:${text};margin:1rem}pre{font:13px/1.4 monospace;white-space:pre-wrap;overflow-wrap:anywhere}
.ansi1{font-weight:bold}.ansi3{font-style:italic}.ansi4{text-decoration:underline}
${rules.join('')}
</style></head><body><pre>`,
    end: '</pre></body></html>\n',
  };
}
