import type { FastifyInstance } from 'fastify'
import { isOwnOrigin } from '../../../platform/http/origin.ts'
import { fail } from '../../../platform/http/failure.ts'
import { type TestAction, testActions, type TestProvider } from './test.provider.ts'

const escaped = (text: string) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)

const button = (id: string, action: TestAction, label: string) =>
  `<form method="post" action="/ee/billing/test/${encodeURIComponent(id)}/${action}"><button>${label}</button></form>`

const page = (title: string, body: string) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title></head><body><main><h1>${title}</h1>
<p>This is the test provider. It takes no money, and forgets everything when the server stops.</p>${body}</main></body></html>`

const headers = {
  'content-security-policy': "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'cache-control': 'no-store',
  // Without a referrer browsers send no origin with a form either, and the write would be refused.
  'referrer-policy': 'same-origin',
}

/** The checkout and the customer portal of the stand-in: plain pages of buttons. */
export function serveTestPages(
  app: FastifyInstance,
  provider: TestProvider,
  { consoleOrigin, deliver }: { consoleOrigin: string; deliver(raw: Buffer, signature: string): Promise<void> },
): void {
  app.get<{ Params: { id: string } }>('/ee/billing/test/checkout/:id', async ({ params: { id } }, reply) => {
    const checkout = provider.checkout(id)
    if (!checkout) throw fail('not_found')
    const rows = checkout.items.map(
      ({ name, quantity, cents }) => `<li>${quantity} × ${escaped(name)}, ${(cents / 100).toFixed(2)} US$ each</li>`,
    )
    const buttons =
      checkout.state === 'open'
        ? `${button(id, 'complete', 'Complete')}${button(id, 'expire', 'Expire')}`
        : `<p>This checkout is ${checkout.state}.</p>`
    const back = `<p><a href="${escaped(checkout.cancelUrl)}">Back without paying</a></p>`
    const title = `Test checkout of ${escaped(checkout.of.name)}`
    return reply
      .headers(headers)
      .type('text/html; charset=utf-8')
      .send(page(title, `<ul>${rows.join('')}</ul>${buttons}${back}`))
  })

  app.get<{ Params: { id: string } }>('/ee/billing/test/portal/:id', async ({ params: { id } }, reply) => {
    const subscription = provider.subscription(id)
    if (!subscription) throw fail('not_found')
    const buttons = [
      button(id, 'cancel', 'Cancel subscription'),
      button(id, 'cancel-later', 'Cancel at the end of the month'),
      button(id, 'past-due', 'Past due'),
      button(id, 'paid', 'Paid'),
    ].join('')
    const back = `<p><a href="${escaped(provider.returnOf(id) ?? consoleOrigin)}">Back</a></p>`
    const state = `<p>The subscription is ${subscription.status}.</p>`
    return reply
      .headers(headers)
      .type('text/html; charset=utf-8')
      .send(page('Test customer portal', state + (subscription.status === 'canceled' ? '' : buttons) + back))
  })

  app.post<{ Params: { id: string; action: TestAction } }>(
    '/ee/billing/test/:id/:action',
    async ({ params: { id, action }, headers: sent }, reply) => {
      if (!isOwnOrigin(sent, consoleOrigin)) throw fail('cross_origin')
      if (!testActions.includes(action)) throw fail('not_found')
      const message = provider.act(id, action)
      if (!message) throw fail('not_found')
      await deliver(message.raw, message.signature)
      const checkout = provider.checkout(id)
      const to = checkout
        ? checkout.state === 'complete'
          ? checkout.successUrl
          : checkout.cancelUrl
        : `/ee/billing/test/portal/${encodeURIComponent(id)}`
      return reply.redirect(to, 303)
    },
  )
}
