import { useQuery } from '@tanstack/react-query'
import { keys } from '../../../lib/api-keys.ts'
import { Banner } from '../../../ui/Banner.tsx'
import { Button } from '../../../ui/Button.tsx'
import { TextAnchor } from '../../../ui/TextLink.tsx'
import { type NamesFound, tryNames } from '../names.ts'

const seen = {
  elsewhere: 'Something else answers at the names of instances',
  nowhere: 'This browser does not reach the names of instances',
} satisfies Record<Exclude<NamesFound, 'here'>, string>

/** Warns when this browser cannot open instances. `addresses` is the pattern of theirs, with `*` for the name. */
export function NamesNote({ addresses }: { addresses: string }) {
  const { data, isFetching, refetch } = useQuery({
    queryKey: keys.namesTried,
    queryFn: () => tryNames(addresses),
    // Tried again when the person comes back, perhaps from the settings of the name server.
    staleTime: 0,
    retry: false,
  })
  if (data === undefined || data === 'here') return null
  const { protocol, host } = new URL(addresses.replace('*', 'name'))
  const domain = host.slice('name.'.length)
  const names = `*.${domain.replace(/:\d+$/, '')}`
  return (
    <Banner kind="warning">
      <p className="font-medium">
        {seen[data]}, <span className="mono break-words">{names}</span>.
      </p>
      <p>You can go on, but editors and flows will not open before this works.</p>
      <ul className="mt-1 list-disc pl-4">
        {names === '*.localhost' ? (
          <li>Use Chrome, Edge or Firefox: Safari does not resolve names below localhost.</li>
        ) : (
          <>
            <li>
              Add a wildcard DNS record for <span className="mono break-words">{names}</span> that leads to this server.
            </li>
            <li>Make a reverse proxy, if there is one, pass these names on with an unchanged Host header.</li>
            {protocol === 'https:' && (
              <li>The certificate must be for these names too, and trusted by this browser.</li>
            )}
            <li>
              Without wildcard DNS,{' '}
              <TextAnchor href="/docs/addresses#ports-in-the-place-of-names">give each instance a port</TextAnchor>.
            </li>
          </>
        )}
      </ul>
      <Button size="sm" className="mt-2" loading={isFetching} onClick={() => void refetch()}>
        Try Again
      </Button>
    </Banner>
  )
}
