/** An HTML page that shows all variants of each page side by side. */
export function contactSheet(names: readonly string[], files: readonly string[]): string {
  const sections = names.map((name) => {
    const pictures = files
      .filter((file) => file.startsWith(`${name}/`))
      .map(
        (file) =>
          `<figure><a href="${file}"><img loading="lazy" src="${file}" alt=""></a><figcaption>${file}</figcaption></figure>`,
      );
    return `<section id="${name}"><h2>${name}</h2><div>${pictures.join('')}</div></section>`;
  });
  const links = names.map((name) => `<a href="#${name}">${name}</a>`);
  return `<!doctype html>
<meta charset="utf-8">
<title>Pictures of all pages</title>
<style>
body { font: 14px system-ui; margin: 16px; background: #888; }
nav { display: flex; flex-wrap: wrap; gap: 4px 12px; }
section div { display: flex; flex-wrap: wrap; align-items: start; gap: 12px; }
figure { margin: 0; }
img { max-height: 700px; max-width: 45vw; }
figcaption { font-size: 11px; }
</style>
<nav>${links.join('\n')}</nav>
${sections.join('\n')}
`;
}
