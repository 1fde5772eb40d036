run1  # made for a test

:Entity_1	type	PER
:Entity_1	link	KB7:e100
:Entity_1	mention	"Ana \"A\" Ruiz"	D1:0-7	0.9
:Entity_1	canonical_mention	"Ana \"A\" Ruiz"	D1:0-7	0.9
:Entity_1	pronominal_mention	"she"	D1:20-22
:Entity_1	per:siblings	:Entity_2	D1:0-40,D1:50-60	0.25
:Entity_2	type	PER	
:Entity_2	nominal_mention	"the # one"	D1:30-36 # the second
:Entity_2	canonical_mention	"the # one"	D1:30-36
:Entity_2	per:siblings	:Entity_1	D1:0-40,D1:50-60	0.25
:String_1	type	STRING
:String_1	mention	"24"	D1:70-71
:String_1	canonical_mention	"24"	D1:70-71
:Entity_1	per:age	:String_1	D1:70-71;D1:60-75
:Event_1	type	CONFLICT.ATTACK
:Event_1	mention.actual	"hit"	D1:80-82
:Event_1	canonical_mention.actual	"hit"	D1:80-82
:Event_1	conflict.attack:attacker.actual	:Entity_1	D1:80-90;D1:0-7;NIL
:Entity_1	per:conflict.attack_attacker.actual	:Event_1	D1:80-90;D1:0-7;NIL
