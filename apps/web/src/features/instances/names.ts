const adjectives =
  'amber,bold,brave,bright,brisk,calm,clever,cosy,crisp,daring,eager,fair,fleet,gentle,golden,happy,humble,keen,kind,lively,lucky,mellow,merry,mighty,misty,noble,proud,quick,quiet,rapid,rosy,ruby,sharp,shiny,silent,silver,sleek,smart,snowy,solid,spry,steady,sunny,swift,tidy,vivid,warm,wild,wise,witty'.split(
    ',',
  )
const birds =
  'avocet,bittern,bunting,buzzard,chough,condor,cormorant,crane,cuckoo,curlew,dipper,dove,dunlin,eagle,egret,falcon,finch,gannet,godwit,goldcrest,grebe,harrier,heron,hobby,hoopoe,ibis,jackdaw,jay,kestrel,kingfisher,kite,knot,lapwing,lark,linnet,magpie,martin,merlin,nightjar,oriole,osprey,owl,pelican,petrel,pipit,plover,puffin,quail,raven,redstart,robin,rook,ruff,sandpiper,serin,shrike,siskin,skua,snipe,starling,stork,swan,swift,teal,tern,thrush,tit,wagtail,warbler,wren'.split(
    ',',
  )

const pick = (words: string[], random: () => number) => words[Math.floor(random() * words.length)] as string

/** A name for a new instance: an adjective, a bird and a number from 1000 to 9999 [INST-39]. */
export function randomName(random: () => number = Math.random): string {
  return `${pick(adjectives, random)}-${pick(birds, random)}-${1000 + Math.floor(random() * 9000)}`
}
