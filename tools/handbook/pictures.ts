import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { escapeHtml } from './markdown.ts'

/**
 * Returns the HTML of a picture in docs/images, or undefined without such a file. A drawing (.svg) is put into the page,
 * so that it follows the theme. A screenshot `<name>.png` may have a `<name>-dark.png` beside it.
 */
export function pictureHtml(docs: string, href: string, alt: string): string | undefined {
  const file = join(docs, href)
  if (!existsSync(file)) return undefined
  const label = escapeHtml(alt)
  if (href.endsWith('.svg')) {
    const drawing = readFileSync(file, 'utf8')
      .replace(/<style>[\s\S]*?<\/style>/, '')
      .replace(/<\?xml[^>]*>\s*/, '')
      .replace('<svg ', `<svg role="img" aria-label="${label}" class="drawing" `)
      .replace(/\n\s*/g, ' ')
    return `<figure class="figure figure-drawing" tabindex="-1">${drawing}</figure>`
  }
  const one = (path: string, theme: string) => {
    const { width, height } = sizeOf(join(docs, path))
    return `<img class="${theme}" src="/docs/${path}" alt="${label}" width="${width}" height="${height}" loading="lazy">`
  }
  const dark = href.replace(/\.png$/, '-dark.png')
  const images = existsSync(join(docs, dark))
    ? one(href, 'only-light') + one(dark, 'only-dark')
    : one(href, 'any-theme')
  return `<figure class="figure">${images}<figcaption>${label}</figcaption></figure>`
}

/** Reads the size of a PNG, so that the page does not jump when it arrives. */
function sizeOf(file: string): { width: number; height: number } {
  const head = readFileSync(file).subarray(16, 24)
  return { width: head.readUInt32BE(0), height: head.readUInt32BE(4) }
}
