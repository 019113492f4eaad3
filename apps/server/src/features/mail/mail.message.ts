import * as z from 'zod/mini'
/** A message to one person, in both forms. */
export const Message = z.object({ to: z.string(), subject: z.string(), text: z.string(), html: z.string() })
export type Message = z.infer<typeof Message>

export interface Letter {
  to: string
  subject: string
  /** One paragraph each. Names in them have gone through `quoted`. */
  paragraphs: readonly string[]
  link?: { label: string; url: string }
  /** Below the link. */
  notes?: readonly string[]
}

/**
 * A name somebody chose, safe to stand in a message: no line breaks or signs that turn the text around, and
 * nothing that a mail program would make a link of. Quotation marks show where it ends.
 */
export function quoted(name: string): string {
  const plain = name
    .replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/([.:/\\@])(?=\S)/gu, '$1 ')
    .replace(/["“”]/gu, "'")
    .trim()
  return `“${plain}”`
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string) => text.replace(/[&<>"']/g, (sign) => escapes[sign]!)

const paragraph = (inner: string, style = '') => `<p style="margin:0 0 16px;${style}">${inner}</p>`
const quiet = 'color:#60646c;font-size:14px;'

/** Both forms of a letter. No pictures, nothing that is fetched, no address other than the link. */
export function compose({ to, subject, paragraphs, link, notes = [] }: Letter): Message {
  const text = [...paragraphs, ...(link ? [`${link.label}:\n${link.url}`] : []), ...notes, '-- \nFlowForge']
  const html = [
    ...paragraphs.map((one) => paragraph(escaped(one))),
    ...(link
      ? [
          paragraph(
            `<a href="${escaped(link.url)}" style="display:inline-block;padding:10px 16px;border-radius:6px;background:#5753c6;color:#ffffff;text-decoration:none;">${escaped(link.label)}</a>`,
          ),
          paragraph(
            `If the button does not work, open this address:<br><a href="${escaped(link.url)}" style="color:#5753c6;word-break:break-all;">${escaped(link.url)}</a>`,
            quiet,
          ),
        ]
      : []),
    ...notes.map((one) => paragraph(escaped(one), quiet)),
  ]
  return {
    to,
    subject,
    text: `${text.join('\n\n')}\n`,
    html:
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escaped(subject)}</title></head>` +
      '<body style="margin:0;padding:24px;font-family:system-ui,sans-serif;font-size:16px;line-height:1.5;color:#1c2024;background:#ffffff;">' +
      `<div style="max-width:560px;margin:0 auto;">${html.join('')}${paragraph('FlowForge', quiet)}</div></body></html>`,
  }
}
