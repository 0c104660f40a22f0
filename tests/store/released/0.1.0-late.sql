BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0003');
CREATE TABLE attempts (
	"key" VARCHAR(200) NOT NULL, 
	window BIGINT NOT NULL, 
	count INTEGER NOT NULL, 
	PRIMARY KEY ("key", window)
);
CREATE TABLE campaigns (
	id VARCHAR(64) NOT NULL, 
	name TEXT NOT NULL, 
	question TEXT NOT NULL, 
	settings TEXT NOT NULL, 
	join_version INTEGER NOT NULL, 
	created_at DOUBLE NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "campaigns" VALUES('cd9373f7c433e','Drafts','Which is clearer?','{"show_ranking": false, "ends_at": null, "completion_url": null, "completion_code": "C0DE", "currency": "", "workers_from": null, "by_how_much": false}',1,1.79513650024317622183e+09);
CREATE TABLE items (
	campaign VARCHAR(64) NOT NULL, 
	id VARCHAR(200) NOT NULL, 
	position INTEGER NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	text TEXT NOT NULL, 
	image TEXT, 
	PRIMARY KEY (campaign, id), 
	FOREIGN KEY(campaign) REFERENCES campaigns (id)
);
INSERT INTO "items" VALUES('cd9373f7c433e','a',0,'text','brief',NULL);
INSERT INTO "items" VALUES('cd9373f7c433e','b',1,'text','longer',NULL);
CREATE TABLE journal (
	campaign VARCHAR(64) NOT NULL, 
	seq BIGINT NOT NULL, 
	at DOUBLE NOT NULL, 
	event TEXT NOT NULL, 
	PRIMARY KEY (campaign, seq)
);
INSERT INTO "journal" VALUES('cd9373f7c433e',0,1.79513650025182795524e+09,'{"event": "Created", "items": ["a", "b"], "workers": [], "budget": 1.0, "seed": 0, "policy": "full-posterior", "cost": 1.0, "costs": {}, "forbidden": [], "min_looks": 0, "reliability": [4.0, 1.0], "lease": 0.2, "format": 1}');
INSERT INTO "journal" VALUES('cd9373f7c433e',1,1.79513650069734096523e+09,'{"event": "WorkerAdded", "worker": "weea18ba855"}');
INSERT INTO "journal" VALUES('cd9373f7c433e',2,1.79513650072440958025e+09,'{"event": "WorkerAdded", "worker": "w00b44c280d"}');
INSERT INTO "journal" VALUES('cd9373f7c433e',3,1795136500.76633,'{"event": "Asked", "question": "q1", "worker": "weea18ba855", "left": "b", "right": "a", "cost": 1.0, "expires_at": 1795136500.965336}');
INSERT INTO "journal" VALUES('cd9373f7c433e',4,1.79513650119000411032e+09,'{"event": "Expired", "question": "q1"}');
INSERT INTO "journal" VALUES('cd9373f7c433e',5,1.79513650120002627372e+09,'{"event": "Asked", "question": "q2", "worker": "w00b44c280d", "left": "a", "right": "b", "cost": 1.0, "expires_at": 1795136501.3899655}');
INSERT INTO "journal" VALUES('cd9373f7c433e',6,1.79513650120822501185e+09,'{"event": "Answered", "question": "q2", "choice": "left"}');
CREATE TABLE media (
	id VARCHAR(64) NOT NULL, 
	type VARCHAR(64) NOT NULL, 
	content BLOB NOT NULL, 
	created_at DOUBLE NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE settings (
	"key" VARCHAR(64) NOT NULL, 
	value TEXT NOT NULL, 
	PRIMARY KEY ("key")
);
CREATE TABLE tokens (
	hash VARCHAR(64) NOT NULL, 
	id VARCHAR(32) NOT NULL, 
	role VARCHAR(16) NOT NULL, 
	name TEXT NOT NULL, 
	campaign VARCHAR(64), 
	worker VARCHAR(64), 
	created_at DOUBLE NOT NULL, 
	expires_at DOUBLE, 
	PRIMARY KEY (hash), 
	FOREIGN KEY(campaign, worker) REFERENCES workers (campaign, id), 
	UNIQUE (id)
);
INSERT INTO "tokens" VALUES('42844fd850b98655e657c7b1692bb51b497d4b93566f38bfb7a908c47fd305b3','e758d6dba19606e6','worker','','cd9373f7c433e','weea18ba855',1.79513650069556736938e+09,NULL);
INSERT INTO "tokens" VALUES('df9297b38649a006214e1009bf30de4e85513f0b93b8ec755365a160275fa458','eaeeb054ae687a9f','worker','','cd9373f7c433e','w00b44c280d',1.79513650072334599496e+09,NULL);
CREATE TABLE workers (
	campaign VARCHAR(64) NOT NULL, 
	id VARCHAR(64) NOT NULL, 
	name TEXT NOT NULL, 
	outside_id VARCHAR(200), 
	created_at DOUBLE NOT NULL, completed_at DOUBLE, late TEXT, 
	PRIMARY KEY (campaign, id), 
	CONSTRAINT workers_outside_id UNIQUE (campaign, outside_id), 
	FOREIGN KEY(campaign) REFERENCES campaigns (id)
);
INSERT INTO "workers" VALUES('cd9373f7c433e','weea18ba855','Ada',NULL,1.79513650069556736938e+09,1.7951365012472178936e+09,'q1');
INSERT INTO "workers" VALUES('cd9373f7c433e','w00b44c280d','Bob',NULL,1.79513650072334599496e+09,NULL,'');
CREATE INDEX tokens_worker ON tokens (campaign, worker);
COMMIT;
