import { createHash } from 'node:crypto'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'

/** An answer of the proxy itself, in words for the person who asked. */
export interface Notice {
  status: number
  code: string
  title: string
  text: string
  /** Seconds after which asking again makes sense. */
  retryAfter?: number
  /** The page looks again by itself. */
  reload?: boolean
  state?: string
  /** Hosts, as `URL.host` writes them, whose pages may read the answer in a browser. */
  readableFrom?: ReadonlySet<string>
}

export const badRequest: Notice = {
  status: 400,
  code: 'invalid_request',
  title: 'Bad request',
  text: 'The request is malformed.',
}
export const tokenInAddress: Notice = {
  status: 400,
  code: 'invalid_request',
  title: 'Token in the address',
  text: 'The address contains a token of the platform, so the request was not passed on. Replace the token: addresses stay in logs and browser histories.',
}
/** For whoever asks for the console under a name that is not its own. */
export const wrongHost = (consoleUrl: string): Notice => ({
  status: 421,
  code: 'wrong_host',
  title: 'Wrong address',
  text: `This platform answers at ${consoleUrl}.`,
})
const style = `:root{color-scheme:light dark;--page:#fcfcfd;--panel:#fff;--line:#e0e1e6;--text:#1c2024;--muted:#60646c;--dot:#8b8d98;--busy:#0090ff}
@media(prefers-color-scheme:dark){:root{--page:#111113;--panel:#18191b;--line:#2e3135;--text:#edeef0;--muted:#b0b4ba;--dot:#696e77}}
*{box-sizing:border-box;margin:0}body{min-height:100vh;display:grid;place-items:center;padding:24px;background:var(--page);color:var(--text);font:14px/20px Inter,system-ui,sans-serif}
main{width:100%;max-width:440px;padding:24px;background:var(--panel);border:1px solid var(--line);border-radius:8px}
h1{display:flex;align-items:baseline;gap:10px;font-size:16px;line-height:24px;font-weight:600;overflow-wrap:anywhere}
h1::before{content:"";flex:none;width:8px;height:8px;border-radius:50%;background:var(--dot)}.busy h1::before{background:var(--busy)}
p{margin-top:8px;color:var(--muted)}`
const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

const escaped = (text: string) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)

function html({ title, text, retryAfter, reload }: Notice): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">${reload ? `\n<meta http-equiv="refresh" content="${retryAfter}">` : ''}
<title>${escaped(title)}</title>
<style>${style}</style>
<main${reload ? ' class="busy"' : ''}>
<h1>${escaped(title)}</h1>
<p>${escaped(text)}</p>
</main>
</html>
`
}

/** Answers with a notice: a page for browsers, the API's envelope for programs. */
export function sendNotice(request: IncomingMessage, response: ServerResponse, notice: Notice): void {
  if (response.destroyed || response.headersSent) return
  const { status, code, title, text, state, readableFrom } = notice
  const { origin = '' } = request.headers
  const page = (request.headers.accept ?? '').includes('text/html')
  const message = `${title}. ${text}`
  const body = Buffer.from(
    page ? html(notice) : JSON.stringify({ code, error: message, message, statusCode: status, state }),
  )
  const headers: OutgoingHttpHeaders = {
    'content-type': page ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8',
    'content-length': body.length,
    'content-security-policy': policy,
    'cache-control': 'no-store',
    // Bytes after a malformed request on its connection are not to be trusted.
    ...(status === 400 ? { connection: 'close' } : {}),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    ...(readableFrom?.has(URL.parse(origin)?.host ?? '') && { 'access-control-allow-origin': origin, vary: 'origin' }),
    ...(notice.retryAfter === undefined ? {} : { 'retry-after': String(notice.retryAfter) }),
  }
  response.writeHead(status, headers)
  response.end(body)
}
