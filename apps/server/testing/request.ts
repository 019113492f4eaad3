/** An answer as it came over the wire. */
export interface Answer {
  status: number
  headers: Headers
  text: string
  /** The parsed body; an empty object when it is not JSON. */
  json: Record<string, unknown>
}

export interface RawRequest {
  headers?: Record<string, string>
  /** A text is sent as it is, anything else as JSON. */
  body?: unknown
}

/** One request exactly as given: no schema, no typed client. Redirects are not followed, streams not read. */
export async function send(
  address: string,
  method: string,
  path: string,
  { headers, body }: RawRequest = {},
): Promise<Answer> {
  const response = await fetch(address + path, {
    method,
    redirect: 'manual',
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const endless = response.headers.get('content-type')?.startsWith('text/event-stream')
  if (endless) await response.body?.cancel()
  const text = endless ? '' : await response.text()
  let json: Record<string, unknown> = {}
  try {
    json = JSON.parse(text) as Record<string, unknown>
  } catch {
    // Not every answer is JSON.
  }
  return { status: response.status, headers: response.headers, text, json }
}

/** The value that an answer sets for a cookie; undefined when it does not set it. */
export function cookieOf(answer: Answer, name: string): string | undefined {
  const line = answer.headers.getSetCookie().find((one) => one.startsWith(`${name}=`))
  return line?.slice(name.length + 1).split(';')[0]
}

/** The statuses of answers that came in any order, smallest first. */
export function statusesOf(answers: readonly Answer[]): number[] {
  return answers.map(({ status }) => status).toSorted((a, b) => a - b)
}

/** A clock that stands still until it is turned; it begins at the present. */
export function testClock() {
  let time = Date.now()
  return { now: () => time, turn: (milliseconds: number) => void (time += milliseconds) }
}
